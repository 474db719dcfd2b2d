import { posix } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { isDatabase } from './databases.ts'
import { innerCommands, isShell } from './inner-commands.ts'
import { type ParsedCommands, type Pipeline, parseCommands, type SimpleCommand } from './parse-commands.ts'
import { type PathUse, pathsOf } from './paths-of.ts'
import { unwrapCommand } from './unwrap-command.ts'

/** What a command would do, in a form that patterns can be held against. */
export interface Inspection {
  /** One line for each command and pipeline; characters with a meaning that stood inside of words are replaced (see `encode`). */
  readonly lines: ReadonlySet<string>
  readonly executables: ReadonlySet<string>
  readonly paths: readonly PathUse[]
}

export interface CommandPlace {
  readonly workspace: string
  /** Where the command starts. */
  readonly folder: string
  readonly userHome: string
  readonly home: string
}

interface Walk {
  readonly lines: Set<string>
  readonly executables: Set<string>
  readonly paths: PathUse[]
  readonly variables: Map<string, string>
  readonly place: CommandPlace
  /** Where the command is; unknown after `cd "$SOMEWHERE"`. */
  folder: string | undefined
}

const deepest = 8
const longestLine = 8000

/** Takes a shell command apart: all its programs, also those inside of quotes, substitutions and wrappers. */
export function inspectCommand(source: string, place: CommandPlace): Inspection {
  const variables = new Map([
    ['HOME', place.userHome],
    ['AGENT_HOME', place.home],
    ['PWD', place.folder],
    ['IFS', ' '],
  ])
  const walk: Walk = { lines: new Set(), executables: new Set(), paths: [], variables, place, folder: place.folder }
  walkSource(source, walk, 0)
  return walk
}

function walkSource(source: string, walk: Walk, depth: number): void {
  if (depth > deepest) throw fail('COMMAND_FORBIDDEN', { reason: 'it hides commands too deep inside of others' })
  const parsed: ParsedCommands = parseCommands(source, walk.variables)
  const compact = source.replaceAll(/\s+/g, '')
  for (const pipeline of parsed.pipelines) {
    if (callsItself(pipeline, compact)) walk.lines.add(':calls-itself')
    walkPipeline(pipeline, walk, depth)
  }
  for (const nested of parsed.nested) walkSource(nested, walk, depth + 1)
}

/** A function that starts itself more than once in the background: a fork bomb. */
function callsItself({ commands, background }: Pipeline, compact: string): boolean {
  const name = commands.at(-1)?.words.findLast((word) => word !== '{' && word !== '}') ?? ''
  if (!background || name === '' || !compact.includes(`${name}(){`)) return false
  return [`${name}|${name}&`, `${name}&${name}`].some((call) => compact.includes(call))
}

function walkPipeline({ commands, background }: Pipeline, walk: Walk, depth: number): void {
  const texts = commands.map((command) => walkCommand(command, walk, depth, background))
  if (commands.length > 1) {
    addLine(walk, texts.map(({ text }) => text).join(' | '))
    addLine(walk, texts.map(({ full }) => full).join(' | '))
  }
  // What is printed into a shell is a command too.
  const readsShell = texts.some(({ name }, index) => index > 0 && isShell(name))
  if (!readsShell) return
  for (const { words, input } of commands) {
    if (/^(echo|printf)$/.test(words[0] ?? '')) walkSource(words.slice(1).join(' '), walk, depth + 1)
    if (input !== '') walkSource(input, walk, depth + 1)
  }
}

/** Patterns are not held against a line without end; that it was too long is a line of its own. */
function addLine(walk: Walk, line: string): void {
  walk.lines.add(line.slice(0, longestLine))
  if (line.length > longestLine) walk.lines.add(':too-long')
}

interface Texts {
  readonly name: string
  readonly text: string
  readonly full: string
}

function walkCommand(command: SimpleCommand, walk: Walk, depth: number, background: boolean): Texts {
  const { words, wrappers } = unwrapCommand(command.words)
  const [name = ''] = words
  const placed = words.map((word, index) => (index === 0 ? word : placeWord(word, name, walk)))
  const redirects = command.redirects.map(({ operator, target }) => `${operator}${encode(placePath(target, walk))}`)
  // What another program is fed may be long and means nothing here.
  const input = command.input === '' ? [] : [`<<${isDatabase(name) ? encode(command.input) : ''}`]
  const text = [...placed.map(encode), ...redirects, ...input].join(' ')
  const assignments = command.assignments.map((each) => `${each.name}=${encode(each.value)}`)
  const full = [...assignments, ...wrappers, text, ...(background ? ['&'] : [])].join(' ')
  addLine(walk, text)
  addLine(walk, full)
  if (name !== '') walk.executables.add(name)
  walk.paths.push(...pathsOf(words, command.redirects, (path) => placePath(path, walk)))
  if (name === 'cd' || name === 'pushd') walk.folder = folderAfter(words[1], walk)
  if (isShell(name) && command.input !== '') walkSource(command.input, walk, depth + 1)
  for (const inner of innerCommands(words)) {
    if ('source' in inner) walkSource(inner.source, walk, depth + 1)
    else walkCommand({ words: inner.words, assignments: [], redirects: [], input: '' }, walk, deeper(depth), false)
  }
  return { name, text, full }
}

function deeper(depth: number): number {
  if (depth >= deepest) throw fail('COMMAND_FORBIDDEN', { reason: 'it hides commands too deep inside of others' })
  return depth + 1
}

function folderAfter(target: string | undefined, walk: Walk): string | undefined {
  if (target === undefined) return walk.place.userHome
  if (target === '-' || /[$*?[]/.test(target)) return undefined
  const path = placePath(target, walk)
  return path.startsWith('/') ? path : undefined
}

/** Programs whose arguments are paths, also when they do not look like one. */
const pathPrograms = /^(rm|rmdir|unlink|shred|mv|cp|ln|install|tee|truncate|find|mkfs.*)$/

function placeWord(word: string, name: string, walk: Walk): string {
  if (/^[/~]/.test(word)) return placePath(word, walk)
  if (pathPrograms.test(name) && !word.startsWith('-')) return placePath(word, walk)
  return word
}

/** Absolute and without detours, as far as that can be known. */
function placePath(path: string, { folder, place }: Walk): string {
  const expanded = path.replace(/^~(?=\/|$)/, place.userHome)
  if (!expanded.startsWith('/') && folder === undefined) return expanded
  const absolute = posix.resolve(folder ?? '/', expanded)
  return absolute
}

const encoded: Readonly<Record<string, string>> = { '|': '¦', '>': '›', '<': '‹', ';': '；', '&': '＆' }

/** Inside of a word these characters mean nothing; replaced, a pattern cannot take them for the shell's own. White space becomes `␣`. */
function encode(word: string): string {
  return word.replaceAll(/\s+/g, '␣').replaceAll(/[|><;&]/g, (character) => encoded[character] ?? character)
}
