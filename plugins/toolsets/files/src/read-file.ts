import type { ArgsOf, ToolRun } from '@agent/plugin-sdk'
import { failure } from './failure.ts'
import { readText, resolvePath } from './text-file.ts'
import type { tools } from './tools.ts'

const longestAnswer = 100_000

/** The `read_file` tool. */
export const readFile: ToolRun<ArgsOf<typeof tools, 'read_file'>> = async ({ args, workspace }, { signal }) => {
  const path = resolvePath(workspace, args.path)
  try {
    const { text } = await readText(path, signal)
    const lines = splitLines(text)
    const first = args.offset ?? 1
    if (lines.length === 0) return { ok: true, text: '(the file is empty)' }
    if (first > lines.length)
      return failure('read_file', path, new Error(`${path} has ${lines.length} lines; offset ${first} is behind its end`))
    const last = Math.min(lines.length, first - 1 + args.limit)
    const shown = lines.slice(first - 1, last).map((line, index) => `${first + index}|${line}`)
    if (last < lines.length) shown.push(`(lines ${first} to ${last} of ${lines.length}; go on with offset ${last + 1})`)
    const answer = shown.join('\n')
    if (answer.length <= longestAnswer) return { ok: true, text: answer }
    const hint = `${path}: these lines have ${answer.length} characters, more than ${longestAnswer}; read fewer lines with offset and limit, or use search_files`
    return failure('read_file', path, new Error(hint))
  } catch (error) {
    return failure('read_file', path, error)
  }
}

/** A final line break ends the last line and does not start another. */
function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}
