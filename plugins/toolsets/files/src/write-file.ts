import type { ArgsOf, ToolRun } from '@agent/plugin-sdk'
import { failure } from './failure.ts'
import { readText, resolvePath, writeText } from './text-file.ts'
import type { tools } from './tools.ts'
import { unifiedDiff } from './unified-diff.ts'

/** The `write_file` tool. The model knows what it wrote; people see what changed. */
export const writeFile: ToolRun<ArgsOf<typeof tools, 'write_file'>> = async ({ args, workspace }, { signal }) => {
  const path = resolvePath(workspace, args.path)
  try {
    const before = await readBefore(path, signal)
    await writeText(path, { text: args.content, encoding: 'utf8' })
    const lines = args.content === '' ? 0 : args.content.replace(/\n$/, '').split('\n').length
    const text = `Wrote ${path} (${counted(lines, 'line')}, ${counted(Buffer.byteLength(args.content), 'byte')}).`
    if (before === undefined || before === args.content) return { ok: true, text }
    return { ok: true, text, data: { diff: unifiedDiff(args.path, before, args.content) } }
  } catch (error) {
    return failure('write_file', path, error)
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** What the file held; nothing where it is new, undefined where it was no text. */
async function readBefore(path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await readText(path, signal)).text
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? '' : undefined
  }
}
