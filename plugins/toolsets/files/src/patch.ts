import type { ArgsOf, ToolResult, ToolRun } from '@agent/plugin-sdk'
import { failure } from './failure.ts'
import { findPlaces, nearestLines, type Place } from './find-places.ts'
import { readText, resolvePath, writeText } from './text-file.ts'
import type { tools } from './tools.ts'
import { unifiedDiff } from './unified-diff.ts'

type Arguments = ArgsOf<typeof tools, 'patch'>

/** The `patch` tool. */
export const patch: ToolRun<Arguments> = async ({ args, workspace }, { signal }) => {
  const path = resolvePath(workspace, args.path)
  try {
    const file = await readText(path, signal)
    // The model writes \n; a file with \r\n keeps its line ends.
    const windows = file.text.includes('\r\n')
    const before = windows ? file.text.replaceAll('\r\n', '\n') : file.text
    const wanted = args.old_string.replaceAll('\r\n', '\n')
    const replacement = args.new_string.replaceAll('\r\n', '\n')
    if (wanted === replacement) return refused('old_string and new_string are the same')
    const places = findPlaces(before, wanted, replacement)
    if (places.length === 0) return refused(notFound(path, before, wanted))
    if (places.length > 1 && !args.replace_all) return refused(ambiguous(path, before, places))
    const after = applied(before, places)
    await writeText(path, { text: windows ? after.replaceAll('\n', '\r\n') : after, encoding: file.encoding })
    return { ok: true, text: unifiedDiff(args.path, before, after) }
  } catch (error) {
    return failure('patch', path, error)
  }
}

function applied(text: string, places: readonly Place[]): string {
  let at = 0
  let result = ''
  for (const { start, end, replacement } of places) {
    result += text.slice(at, start) + replacement
    at = end
  }
  return result + text.slice(at)
}

function notFound(path: string, text: string, wanted: string): string {
  const nearest = nearestLines(text, wanted)
  const hint = nearest.length > 0 ? `The nearest lines are:\n${nearest.join('\n')}` : 'No line comes near; read the file again'
  return `old_string does not stand in ${path}. ${hint}`
}

function ambiguous(path: string, text: string, places: readonly Place[]): string {
  const lines = places.slice(0, 20).map(({ start }) => text.slice(0, start).split('\n').length)
  return `old_string stands ${places.length} times in ${path} (lines ${lines.join(', ')}). Add lines around it, or set replace_all`
}

function refused(detail: string): ToolResult {
  return { ok: false, error: { code: 'TOOL_FAILED', params: { tool: 'patch', detail } } }
}
