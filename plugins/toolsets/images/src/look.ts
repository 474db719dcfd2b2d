import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type ArgsOf, type Images, maxImagePiece, type ToolRun } from '@agent/plugin-sdk'
import { failure } from './failure.ts'
import type { tools } from './tools.ts'

/** The `vision_analyze` tool. */
export function createAnalyze({ describe }: Pick<Images, 'describe'>): ToolRun<ArgsOf<typeof tools, 'vision_analyze'>> {
  return async ({ args, workspace, progress }, call) => {
    const path = resolve(workspace, args.path)
    try {
      const { size } = await stat(path)
      if (size > maxImagePiece)
        throw new Error(`${path} has ${size} bytes, and at most ${maxImagePiece} are looked at: make it smaller first`)
      const image = await readFile(path, { signal: call.signal })
      progress('looking')
      return { ok: true, text: await describe({ image, question: args.question }, call) }
    } catch (error) {
      call.signal.throwIfAborted()
      return failure('vision_analyze', path, error)
    }
  }
}
