import { basename } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { isDatabase } from './databases.ts'
import { heldTexts } from './held-texts.ts'
import { type Inner, innerCommands, isShell } from './inner-commands.ts'
import { onlySays } from './only-says.ts'
import { either, type ParsedCommands, type Pipeline, parseCommands, type SimpleCommand } from './parse-commands.ts'
import { foundBy, type PathUse, readTree } from './paths-of.ts'
import { programOf } from './program-files.ts'
import { namesMade, runOf } from './run-of.ts'
import { readScript } from './script-text.ts'
import { type Unwrapped, unwrapCommand } from './unwrap-command.ts'
import {
  type CommandPlace,
  encode,
  folderAfter,
  type ProgramRun,
  placePath,
  placeWord,
  printedBy,
  realFolder,
  realOnce,
  type Walk,
} from './walk.ts'
import { walkPaths } from './walk-paths.ts'

/** What a command would do, in a form that patterns can be held against. */
export interface Inspection {
  /**
   * One line for each command and pipeline; characters with a meaning that stood inside of words are replaced (see `encode`).
   * What the inspection itself finds out is a line that starts with `:`.
   */
  readonly lines: ReadonlySet<string>
  /** Lines of programs that only say what they are or would do; no danger, but the user's deny list holds for them. */
  readonly said: ReadonlySet<string>
  readonly executables: ReadonlySet<string>
  readonly paths: readonly PathUse[]
  readonly runs: readonly ProgramRun[]
}

const deepest = 8
const longestLine = 8000
const longestScript = 100_000
const mostCommands = 3000

/** Takes a shell command apart: all its programs, also those inside of quotes, substitutions and wrappers. */
export function inspectCommand(source: string, place: CommandPlace): Inspection {
  const variables = new Map([
    ['HOME', place.userHome],
    ['USER', basename(place.userHome)],
    ['LOGNAME', basename(place.userHome)],
    ['AGENT_HOME', place.home],
    ['PWD', place.folder],
    ['IFS', ' '],
  ])
  const folder = realFolder(place.folder)
  const walk: Walk = {
    ...{
      lines: new Set<string>(),
      said: new Set<string>(),
      executables: new Set<string>(),
      paths: [],
      variables,
      place,
      realHome: realOnce(place.home),
      folder,
      commands: 0,
    },
    ...{ made: new Map(), links: new Map(), others: new Set<string>(), nested: false },
    ...{ runs: [], functions: new Set<string>(), isGuess: false },
  }
  walkSource(source, walk, 0)
  return walk
}

function walkSource(source: string, walk: Walk, depth: number): void {
  if (depth > deepest) throw fail('COMMAND_FORBIDDEN', { reason: 'it hides commands too deep inside of others' })
  const parsed: ParsedCommands = parseCommands(source, walk.variables)
  const compact = source.replaceAll(/\s+/g, '')
  for (const name of namesMade(source)) walk.functions.add(name)
  const { isGuess } = walk
  let isList = false
  const outside: (string | undefined)[] = []
  for (const pipeline of parsed.pipelines) {
    if (callsItself(pipeline, compact)) walk.lines.add(':calls-itself')
    for (let level = 0; level < pipeline.opens; level++) outside.push(walk.folder)
    const before = walk.folder
    // `list=(a b c)`: no command.
    walk.isGuess = isGuess || (pipeline.opens > 0 && isList)
    walkPipeline(pipeline, walk, depth)
    isList = beginsList(pipeline)
    walk.isGuess = isGuess
    // A `cd` in a pipe, in the background or in brackets is over with them.
    if (pipeline.background || pipeline.commands.length > 1) walk.folder = before
    for (let level = 0; level < pipeline.closes && outside.length > 0; level++) walk.folder = outside.pop()
  }
  walkNested(parsed.nested, walk, depth)
}

function walkNested(sources: readonly string[], walk: Walk, depth: number): void {
  const { folder, nested: was } = walk
  for (const nested of sources) {
    walk.nested = true
    if (decoders.test(nested)) walk.lines.add(':decoded')
    walkSource(nested, walk, depth + 1)
    // What runs in `$(…)` changes no folder outside of it.
    walk.folder = folder
    walk.nested = was
  }
}

/** Programs that turn what nobody can read into a word of the command. */
const decoders =
  /\b(base64|base32)\b.*-(d|D|-decode)|\bxxd\b.*-r|\|\s*rev\b|^\s*rev\b|openssl enc|\btr\b .*[a-z]-[a-z]|printf .*\\+(x|[0-7]{2})|\bfold\b|\bgzip -d|gunzip|zcat/

const beginsList = ({ commands: [command] }: Pipeline): boolean => command?.words.length === 0 && command.assignments.at(-1)?.value === ''

/** A function that starts itself more than once in the background: a fork bomb. */
function callsItself({ commands, background }: Pipeline, compact: string): boolean {
  const name = commands.at(-1)?.words.findLast((word) => word !== '{' && word !== '}') ?? ''
  if (!background || name === '' || !compact.includes(`${name}(){`)) return false
  return [`${name}|${name}&`, `${name}&${name}`].some((call) => compact.includes(call))
}

function walkPipeline({ commands, background }: Pipeline, walk: Walk, depth: number): void {
  const { folder } = walk
  const texts = commands.map((command) => {
    // Each has its own process: a `cd` before the pipe leads the next one nowhere.
    walk.folder = folder
    return walkCommand(command, walk, depth, background)
  })
  if (commands.length < 2) return
  walk.folder = folder
  addLine(walk, texts.map(({ text }) => text).join(' | '))
  addLine(walk, texts.map(({ full }) => full).join(' | '))
  const printed = commands.map((command) => printedBy(command, walk)).find((text) => text !== undefined)
  for (const text of texts.slice(1)) walkReader(text, commands, printed, walk, depth)
}

/** What is printed into a shell, an interpreter or a file is a program or its text. */
function walkReader(
  { name, words, wrappers }: Texts,
  commands: readonly SimpleCommand[],
  printed: string | undefined,
  walk: Walk,
  depth: number,
): void {
  if (isShell(name) || /^(at|batch|crontab|ssh)$/.test(name)) {
    for (const text of [...commands.map(({ input }) => input), printed ?? '']) if (text !== '') walkSource(text, walk, depth + 1)
  } else if (programOf(words)?.takesInput && printed !== undefined) walkScript(printed, walk)
  if (name === 'tee') for (const path of words.slice(1)) walk.made.set(placePath(path, walk), printed)
  if (wrappers.some(isFeeder)) walkFed(commands, words, walk, depth)
}

const isFeeder = (wrapper: string): boolean => wrapper === 'xargs' || wrapper === 'parallel'

/** `echo -rf x | xargs rm`: the words that are printed are arguments. */
function walkFed(commands: readonly SimpleCommand[], words: readonly string[], walk: Walk, depth: number): void {
  const fed = commands.flatMap((command) => printedBy(command, walk)?.split(/\s+/) ?? [])
  const found = commands.flatMap(({ words: [name, ...rest] }) => (name === 'find' ? foundBy(rest, (path) => placePath(path, walk)) : []))
  walk.paths.push(...found.map(readTree))
  walkCommand({ ...bare, words: [...words, ...fed, ...found] }, walk, deeper(depth), false)
}

const bare = { assignments: [], redirects: [], input: '' }

/** Patterns are not held against a line without end; that it was too long is a separate line. */
function addLine(walk: Walk, line: string): void {
  walk.lines.add(line.slice(0, longestLine))
  if (line.length > longestLine) walk.lines.add(':too-long')
}

interface Texts {
  readonly name: string
  readonly words: readonly string[]
  readonly wrappers: readonly string[]
  readonly text: string
  readonly full: string
}

function walkCommand(command: SimpleCommand, walk: Walk, depth: number, background: boolean): Texts {
  walk.commands += 1
  if (walk.commands > mostCommands) throw fail('COMMAND_FORBIDDEN', { reason: 'it has more commands than can be judged' })
  const unwrapped = unwrapCommand(command.words)
  const { words, wrappers, layers, unsure } = unwrapped
  const { folder } = walk
  const elsewhere = layers.flatMap(folderOption).at(-1)
  if (elsewhere !== undefined) walk.folder = folderAfter([elsewhere], walk)
  const [name = ''] = words
  const shown = wordsShown(unwrapped, command, walk)
  const redirects = command.redirects.map(({ operator, target }) => `${operator}${encode(placePath(target, walk))}`)
  // What another program is fed may be long and means nothing here.
  const input = command.input === '' ? [] : [`<<${isDatabase(name) ? encode(command.input) : ''}`]
  const text = [...shown, ...redirects, ...input].join(' ')
  const assignments = command.assignments.map((each) => `${each.name}=${encode(each.value)}`)
  const full = [...assignments, ...wrappers, text, ...(background ? ['&'] : [])].join(' ')
  addLine(walk, text)
  addLine(walk, full)
  if (unsure) walk.lines.add(':unsure')
  for (const each of [name, ...wrappers]) if (each !== '') walk.executables.add(each)
  const run = runOf(unwrapped, command, walk)
  if (run) walk.runs.push(run)
  walkPaths(words, command, walk)
  walkEnvironment(command, walk, depth)
  walkInner(unwrapped, command, walk, depth)
  if (elsewhere !== undefined) walk.folder = folder
  if (name === 'cd' || name === 'pushd') walk.folder = folderAfter(words.slice(1), walk)
  if (name === 'popd') walk.folder = undefined
  return { name, words, wrappers, text, full }
}

const namesGiven = /\b(?:for|select)\s{1,9}(\w{1,60})\s{1,9}in\b|\bread\s{1,9}(?:-\w{1,9}\s{1,9})*(\w{1,60})|(?:^|[\s;&|])(\w{1,60})=/g

/** What a text for a shell names and also gives a value is known where that text is judged: `for i in 1 2; do echo $i; done`. */
function knownValues(text: string, name: string, given: readonly string[]): string {
  if (!isShell(name) || !text.includes('$') || !/\s/.test(text)) return text
  const names = new Set([...given, ...[...text.matchAll(namesGiven)].map(([, a, b, c]) => a ?? b ?? c)])
  return text.replaceAll(/\$(\{?)(\w+)/g, (found, brace: string, each: string) => (names.has(each) ? `＄${brace}${each}` : found))
}

/** The words that patterns are held against. What only says something is no danger; fed words may follow. */
function wordsShown({ words, wrappers, layers }: Unwrapped, { assignments }: SimpleCommand, walk: Walk): readonly string[] {
  const [name = ''] = words
  const given = [...assignments.map((each) => each.name), ...layers.flat().flatMap((word) => /^(\w+)=/.exec(word)?.slice(1) ?? [])]
  const placed = words.map((word, index) => encode(index === 0 ? word : knownValues(placeWord(word, name, walk), name, given)))
  if (!onlySays(words) || wrappers.some(isFeeder)) return placed
  walk.said.add(placed.join(' '))
  return [`says:${name}`]
}

/** `env --chdir /tmp`: where a wrapper lets the program start. */
function folderOption(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    if (/^(-C|--chdir|-D|--wd|--working-directory|--cwd)$/.test(words[index - 1] ?? '')) return [word]
    return /^--(?:chdir|wd|working-directory|cwd)=(.*)$/s.exec(word)?.slice(1) ?? []
  })
}

function walkInner({ words, wrappers, layers, program }: Unwrapped, command: SimpleCommand, walk: Walk, depth: number): void {
  walkHeld(heldTexts(program, words, command, walk), walk, depth)
  const fed = wrappers.some(isFeeder) && command.input !== '' ? command.input.trim().split(/\s+/) : []
  if (fed.length > 0) walkCommand({ ...bare, words: [...words.filter((word) => word !== '{}'), ...fed] }, walk, deeper(depth), false)
  // `parallel 'rm {}'`
  if (/\s/.test(program) && wrappers.some(isFeeder)) walkSource(program, walk, depth + 1)
  walkInside([words, ...layers].flatMap(innerCommands), walk, depth)
}

function walkHeld(texts: ReturnType<typeof heldTexts>, walk: Walk, depth: number): void {
  for (const { type, text } of texts) {
    if (type === 'unknown') walk.lines.add(':made-here')
    else if (type === 'script') walkScript(text, walk)
    else walkSource(text, walk, depth + 1)
  }
}

function walkInside(commands: readonly Inner[], walk: Walk, depth: number): void {
  const { isGuess } = walk
  for (const inner of commands) {
    walk.isGuess = isGuess || inner.isGuess === true
    if ('source' in inner) walkCalled(inner, walk, depth + 1)
    else if (inner.words.length > 0) walkCommand({ ...bare, words: inner.words }, walk, deeper(depth), false)
  }
  walk.isGuess = isGuess
}

/** A text for a shell, with its arguments as `$0`, `$1` and so on. */
function walkCalled({ source, args = [] }: Extract<Inner, { readonly source: string }>, walk: Walk, depth: number): void {
  const before = new Map(walk.variables)
  args.forEach((value, index) => void walk.variables.set(`${index}`, value))
  if (args.length > 1) for (const name of ['@', '*']) walk.variables.set(name, args.slice(1).join(either))
  walkSource(source, walk, depth)
  if (args.length === 0) return
  walk.variables.clear()
  for (const [name, value] of before) walk.variables.set(name, value)
}

/** Variables whose value another program runs. */
const runVariables =
  /^(PROMPT_COMMAND|PS0|GIT_SSH_COMMAND|GIT_SSH|GIT_EDITOR|GIT_SEQUENCE_EDITOR|GIT_EXTERNAL_DIFF|GIT_PAGER|GIT_ASKPASS|GIT_PROXY_COMMAND|EDITOR|VISUAL|PAGER|MANPAGER|LESSOPEN|LESSCLOSE|SUDO_ASKPASS|SSH_ASKPASS|RSYNC_RSH|BROWSER|FZF_DEFAULT_COMMAND|CMD)$/
const loadVariables =
  /^(BASH_ENV|ENV|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|PYTHONSTARTUP|PERL5OPT|PERL5DB|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_CONFIG\w*|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|TAR_OPTIONS|npm_config_(script_shell|node_options|git|userconfig|globalconfig))$/i

/** Where a language looks for its libraries. */
const libraryVariables =
  /^(PYTHONPATH|PYTHONHOME|NODE_PATH|RUBYLIB|PERL5LIB|CLASSPATH|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|GOFLAGS|RUSTC_WRAPPER|CC|CXX|KUBECONFIG|GIT_DIR|RIPGREP_CONFIG_PATH|CURL_HOME|DENO_DIR)$/
const madeFolders = /(^|:|=)\/(tmp|var\/tmp|dev\/shm)(\/|:|$)/

/** Options by which a variable loads a program into another one. */
const startOptions = (name: string): RegExp =>
  name === 'NODE_OPTIONS'
    ? /--require|--import|--loader|-r\b/
    : /_(OPTS|OPTIONS)$/.test(name)
      ? /-javaagent|-agent(lib|path)|-Xrun/
      : /(?!)/

function walkEnvironment({ assignments, words }: SimpleCommand, walk: Walk, depth: number): void {
  const exported = words.flatMap((word) => {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? []
    return name === undefined || value === undefined ? [] : [{ name, value }]
  })
  for (const { name, value } of [...assignments, ...exported]) {
    if (runVariables.test(name) && value !== '') walkSource(value.replace(/^\|{1,2}-?/, ''), walk, depth + 1)
    if (name === 'IFS' && words.length === 0) walk.lines.add(':decoded')
    if (libraryVariables.test(name) && madeFolders.test(value)) walk.lines.add(':loads')
    if (loadVariables.test(name) || startOptions(name).test(value)) walk.lines.add(':loads')
  }
}

/** A program in another language cannot be read as a shell does it: it passes only when it can do no harm. */
function walkScript(text: string, walk: Walk): void {
  const found = readScript(text.slice(0, longestScript))
  if (found.harmful || text.length > longestScript) walk.lines.add(':harmful-script')
  if (found.deletesTrees) walk.lines.add(':tree-script')
  const use = found.deletesTrees ? 'remove' : found.writes ? 'write' : 'read'
  for (const path of found.paths)
    if (found.deletesTrees || /[/.~]/.test(path)) walk.paths.push({ path: placePath(path, walk), use, tree: found.deletesTrees })
  for (const command of found.commands)
    if (/^\s*(sudo |\/bin\/|\/usr\/bin\/)?(rm|shred|dd|mkfs|chmod|kill)\b/.test(command)) walkText(command, walk)
}

/** A text of a program that may be a command; one that no shell could read is none. */
function walkText(source: string, walk: Walk): void {
  const parsed = ((): ParsedCommands | undefined => {
    try {
      return parseCommands(source, walk.variables)
    } catch {
      return undefined
    }
  })()
  const { isGuess } = walk
  walk.isGuess = true
  for (const pipeline of parsed?.pipelines ?? []) for (const command of pipeline.commands) walkCommand(command, walk, deepest - 1, false)
  walk.isGuess = isGuess
}

function deeper(depth: number): number {
  if (depth >= deepest) throw fail('COMMAND_FORBIDDEN', { reason: 'it hides commands too deep inside of others' })
  return depth + 1
}
