import { posix } from 'node:path'
import { importedFiles } from './imported-files.ts'
import { isShell } from './inner-commands.ts'
import { printedText, type SimpleCommand } from './parse-commands.ts'
import { packageScripts, programOf, readHeld, recipes, type ScriptFile, scriptsOf } from './program-files.ts'
import { placePath, realFolder, type Walk } from './walk.ts'

/** A program that a command runs, as text. */
export interface HeldText {
  readonly type: 'shell' | 'script' | 'unknown'
  readonly text: string
  /** The folder of its file; absent: it stands in the command. */
  readonly folder?: string
}

const shell = (text: string): HeldText => ({ type: 'shell', text })

/** The texts that a command gives a shell or an interpreter, and the files it runs that were written in this session. */
export function heldTexts(program: string, words: readonly string[], command: SimpleCommand, walk: Walk): readonly HeldText[] {
  const [name = ''] = words
  const files: readonly ScriptFile[] = [
    ...scriptsOf(words, program),
    ...command.redirects.flatMap(({ operator, target }): readonly ScriptFile[] =>
      operator === '<' && isShell(name) ? [{ path: target, type: 'shell' }] : [],
    ),
  ]
  const texts = [...shellTexts(name, words, command, walk), ...scriptTexts(words, command), ...files.flatMap((file) => textsOf(file, walk))]
  return [...texts, ...broughtBy(texts, walk)]
}

const mostBrought = 100
const mostLooks = 3000

/**
 * What scripts bring in of the files that were written in this session, and what these bring in. A name is looked up in the folder of the file in which
 * it stands, and in those of the files that brought this one in. Where there is too much to look up, it is not known what runs.
 */
function broughtBy(texts: readonly HeldText[], walk: Walk): readonly HeldText[] {
  const isNothingWritten = walk.made.size === 0 && (walk.place.written?.size ?? 0) === 0
  if (isNothingWritten) return []
  const seen = new Set<string>()
  const folders = new Set([walk.folder])
  const brought: HeldText[] = []
  for (const queue = texts.filter(({ type }) => type === 'script'); queue.length > 0; ) {
    const { text = '', folder = walk.folder } = queue.shift() ?? {}
    folders.add(folder)
    for (const path of placesIn(folders, importedFiles(text))) {
      if (seen.has(path)) continue
      if (seen.size >= mostLooks || brought.length >= mostBrought) return [...brought, { type: 'unknown', text: '' }]
      seen.add(path)
      const found = textsOf({ path, type: 'script' }, walk)
      brought.push(...found)
      queue.push(...found)
    }
  }
  return brought
}

function* placesIn(folders: ReadonlySet<string | undefined>, names: readonly string[]): Iterable<string> {
  for (const name of names) for (const folder of folders) yield folder === undefined ? name : posix.resolve(folder, name)
}

function shellTexts(name: string, words: readonly string[], { input }: SimpleCommand, walk: Walk): readonly HeldText[] {
  if (isShell(name) || name === 'source' || name === '.') {
    const made = words.map((word) => (word.startsWith('<(') ? printedText(word.slice(2, -1), walk.variables) : undefined))
    return [input, ...made].filter((text) => text !== undefined && text !== '').map((text) => shell(text ?? ''))
  }
  if (!/^(ed|ex|vi|vim|ftp|gdb|sqlite3?|psql|mail)$/.test(name)) return []
  return [...input.matchAll(/^\s*(?:!|\\!|\.shell|\.system|shell)\s*(.+)$/gm)].map(([, source = '']) => shell(source))
}

function scriptTexts(words: readonly string[], { input }: SimpleCommand): readonly HeldText[] {
  const program = programOf(words)
  const fed = program?.takesInput && input !== '' ? [input] : []
  return [...(program?.texts ?? []), ...fed].map((text) => ({ type: 'script', text }))
}

/** A file that was written in this session, or that this command writes, is what it holds. */
function textsOf(file: ScriptFile, walk: Walk): readonly HeldText[] {
  const found = readWritten(file.path, walk)
  if (!found) return []
  const { place, text } = found
  if (text === undefined) return [{ type: 'unknown', text: '' }]
  const shebang = /^#!\S*?(?:env )?(?:\S*\/)?(\w+)/.exec(text)?.[1] ?? ''
  if (file.type === 'shell' && (shebang === '' || isShell(shebang))) return [shell(text)]
  if (file.type === 'package') return packageScripts(text, file.target ?? '').map(shell)
  return [file.type === 'make' ? shell(recipes(text)) : { type: 'script', text, folder: posix.dirname(place) }]
}

function readWritten(path: string, walk: Walk): { readonly place: string; readonly text: string | undefined } | undefined {
  const place = placePath(path, walk)
  const written = walk.place.written ?? new Set<string>()
  if (walk.made.has(place)) return { place, text: walk.made.get(place) }
  if (written.size === 0) return undefined
  const real = realFolder(place)
  return written.has(place) || written.has(real) ? { place: real, text: readHeld(real) } : undefined
}
