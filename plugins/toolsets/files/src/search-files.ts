import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ArgsOf, Clock, ToolResult, ToolRun } from '@agent/plugin-sdk'
import { failure } from './failure.ts'
import { compileGlob } from './glob.ts'
import { skippedFiles } from './ignore-rules.ts'
import { createMatcher, type MatchLines } from './match-lines.ts'
import { decodeText, resolvePath } from './text-file.ts'
import type { tools } from './tools.ts'
import { type FoundFile, walkFiles } from './walk-files.ts'

type Arguments = ArgsOf<typeof tools, 'search_files'>

const longestSearch = 20_000
const mostFiles = 50_000
const largestSearched = 4 * 1024 * 1024
const longestShownLine = 300

/** What was found, one line for each entry, and why the search stopped early. */
interface Found {
  readonly entries: string[]
  matches: number
  stopped?: string
}

/** The `search_files` tool. */
export function createSearch(clock: Clock): ToolRun<Arguments> {
  return async ({ args, workspace }, { signal }) => {
    const start = resolvePath(workspace, args.path)
    try {
      const found: Found = { entries: [], matches: 0 }
      const until = clock.now() + longestSearch
      const visit = args.target === 'files' ? nameVisitor(args, found) : contentVisitor(args, found, signal)
      let files = 0
      for await (const file of walkFiles(start, signal)) {
        files += 1
        if (clock.now() > until) found.stopped = 'the search took too long'
        else if (files > mostFiles) found.stopped = `more than ${mostFiles} files`
        else await visit(file)
        if (found.stopped) break
      }
      return answer(args, found)
    } catch (error) {
      return failure('search_files', start, error)
    }
  }
}

function nameVisitor(args: Arguments, found: Found): (file: FoundFile) => Promise<void> {
  const fits = compileGlob(args.pattern)
  return async ({ path }) => {
    if (!fits.test(path)) return
    found.entries.push(path)
    found.matches += 1
    stopWhenFull(args, found)
  }
}

function contentVisitor(args: Arguments, found: Found, signal: AbortSignal): (file: FoundFile) => Promise<void> {
  const fitsName = compileGlob(args.file_glob ?? '**')
  const match = createMatcher(args.pattern)
  return async ({ absolute, path }) => {
    if (skippedFiles.test(basename(path)) || !fitsName.test(path)) return
    const lines = await readLines(absolute, signal)
    const hits = lines && matched(match, lines, found)
    if (!hits || hits.length === 0) return
    found.matches += hits.length
    found.entries.push(...entriesOf(args, path, lines, hits))
    stopWhenFull(args, found)
  }
}

function entriesOf(
  { output_mode, context }: Arguments,
  path: string,
  lines: readonly string[],
  hits: readonly number[],
): readonly string[] {
  if (output_mode === 'files_only') return [path]
  if (output_mode === 'count') return [`${path}: ${hits.length}`]
  return context === 0 ? hits.map((hit) => shownLine(path, lines, hit, ':')) : blocks(path, lines, hits, context)
}

function matched(match: MatchLines, lines: readonly string[], found: Found): readonly number[] {
  const hits = match(lines)
  if (hits) return hits
  found.stopped = 'the regular expression takes too long; write it without nested repetition'
  return []
}

/** One entry for each hit, its neighbours around it. */
function blocks(path: string, lines: readonly string[], hits: readonly number[], context: number): readonly string[] {
  return hits.map((hit) => {
    const block: string[] = []
    for (let line = Math.max(0, hit - context); line <= Math.min(lines.length - 1, hit + context); line++) {
      block.push(shownLine(path, lines, line, line === hit ? ':' : '-'))
    }
    return `${block.join('\n')}\n--`
  })
}

function shownLine(path: string, lines: readonly string[], index: number, mark: ':' | '-'): string {
  const line = lines[index] ?? ''
  return `${path}${mark}${index + 1}${mark}${line.length > longestShownLine ? `${line.slice(0, longestShownLine)}…` : line}`
}

/** Text of a file that is worth searching: not too large, not binary, readable. */
async function readLines(path: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
  try {
    if ((await stat(path)).size > largestSearched) return undefined
    return decodeText(await readFile(path, { signal }))?.text.split(/\r?\n/)
  } catch {
    signal.throwIfAborted()
    // A file that vanished or may not be read has no matches.
    return undefined
  }
}

function stopWhenFull(args: Arguments, found: Found): void {
  if (found.entries.length > (args.offset ?? 0) + args.limit) found.stopped = 'full'
}

function answer(args: Arguments, { entries, matches, stopped }: Found): ToolResult {
  const first = args.offset ?? 0
  const shown = entries.slice(first, first + args.limit)
  const more = entries.length > first + shown.length
  const notes = [
    ...(shown.length === 0 ? [matches === 0 ? 'Nothing found.' : `Nothing behind offset ${first}.`] : []),
    ...(more ? [`(more; go on with offset ${first + shown.length})`] : []),
    ...(stopped && stopped !== 'full' ? [`(incomplete: ${stopped})`] : []),
  ]
  return { ok: true, text: [...shown, ...notes].join('\n') }
}
