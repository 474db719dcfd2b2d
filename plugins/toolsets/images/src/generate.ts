import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type ArgsOf, type Images, imageTypeOf, type ToolRun } from '@agent/plugin-sdk'
import { failure } from './failure.ts'
import type { tools } from './tools.ts'

/** The `image_generate` tool. */
export function createGenerate({ generate }: Pick<Images, 'generate'>): ToolRun<ArgsOf<typeof tools, 'image_generate'>> {
  return async ({ args, workspace, progress }, call) => {
    const { prompt, shape } = args
    let path = args.path === undefined ? '' : resolve(workspace, args.path)
    try {
      progress('painting')
      const pieces: Uint8Array[] = []
      for await (const piece of generate({ prompt, shape }, call)) pieces.push(piece)
      const bytes = Buffer.concat(pieces)
      const type = (imageTypeOf(bytes) ?? 'image/png').slice('image/'.length)
      path ||= join(workspace, 'images', `${nameOf(prompt)}-${randomUUID().slice(0, 8)}.${type.replace('jpeg', 'jpg')}`)
      await write(path, bytes)
      const text = `Painted ${path} (${type.toUpperCase()}, ${Math.ceil(bytes.length / 1024)} KiB). A line MEDIA:${path} in your answer shows it.`
      return { ok: true, text, data: { path, type, bytes: bytes.length } }
    } catch (error) {
      call.signal.throwIfAborted()
      return failure('image_generate', path, error)
    }
  }
}

/** The first words of a prompt as a name of a file. */
function nameOf(prompt: string): string {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.slice(0, 5).join('-').slice(0, 40) || 'picture'
}

/** Readers see the whole file or none. */
async function write(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const draft = join(dirname(path), `.${randomUUID()}.draft`)
  try {
    await writeFile(draft, bytes, { flag: 'wx' })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
