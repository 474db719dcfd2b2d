import type { ArgsOf, ToolRun } from '@agent/plugin-sdk'
import { failure } from './failure.ts'
import { resolvePath, writeText } from './text-file.ts'
import type { tools } from './tools.ts'

/** The `write_file` tool. */
export const writeFile: ToolRun<ArgsOf<typeof tools, 'write_file'>> = async ({ args, workspace }) => {
  const path = resolvePath(workspace, args.path)
  try {
    await writeText(path, { text: args.content, encoding: 'utf8' })
    const lines = args.content === '' ? 0 : args.content.replace(/\n$/, '').split('\n').length
    return { ok: true, text: `Wrote ${path} (${lines} lines, ${Buffer.byteLength(args.content)} bytes).` }
  } catch (error) {
    return failure('write_file', path, error)
  }
}
