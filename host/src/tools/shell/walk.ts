import { lstatSync, realpathSync } from 'node:fs'
import { posix } from 'node:path'
import { expandHome } from './expand-home.ts'
import { printedBy as printedByEcho, type SimpleCommand } from './parse-commands.ts'
import type { PathUse } from './paths-of.ts'

export interface CommandPlace {
  readonly workspace: string
  /** Where the command starts. */
  readonly folder: string
  readonly userHome: string
  readonly home: string
  /** Files that were written in this session: what they hold is run as if it stood in the command. */
  readonly written?: ReadonlySet<string>
  /** Processes that nothing may end. */
  readonly ownProcesses?: readonly number[]
}

/** A program that would run. */
export interface ProgramRun {
  /** As it is written. */
  readonly program: string
  /** By its bare name, with its arguments. */
  readonly words: readonly string[]
  readonly input: string
  /** Where it comes from: the usual folders, the workspace, the registry of packages, or another folder. */
  readonly place: 'usual' | 'workspace' | 'package' | 'elsewhere'
  /** What it holds is judged as part of the command. */
  readonly isTextKnown: boolean
  /** It comes from a registry where it is not installed. */
  readonly isFetched: boolean
  /** A script that it runs from a folder in which no work is done. */
  readonly script?: string
}

/** What is known while a command is taken apart. */
export interface Walk {
  readonly lines: Set<string>
  readonly said: Set<string>
  readonly executables: Set<string>
  readonly paths: PathUse[]
  readonly runs: ProgramRun[]
  /** Functions and aliases that the command itself makes; what they hold is judged. */
  readonly functions: Set<string>
  readonly variables: Map<string, string>
  readonly place: CommandPlace
  /** The agent's home without detours: it stays where it is while one command is looked at. */
  readonly realHome: () => string
  /** Files that the command itself makes, with what it writes into them where that is known. */
  readonly made: Map<string, string | undefined>
  /** Links that the command itself makes. */
  readonly links: Map<string, string>
  /** Where the command is; unknown after `cd "$SOMEWHERE"`. */
  folder: string | undefined
  /** Where it is instead when a `cd` fails. */
  readonly others: Set<string>
  commands: number
  /** Within `$(…)`: what is printed is used. */
  nested: boolean
  /** What is taken for a command may be no more than a text. */
  isGuess: boolean
}

/** Absolute and without detours, as far as that can be known. */
export function placePath(path: string, { folder, place, links }: Pick<Walk, 'folder' | 'place' | 'links'>): string {
  const expanded = expandHome(path.replace(/^~\+(?=\/|$)/, folder ?? '~+'), place.userHome)
  if (!expanded.startsWith('/') && folder === undefined) return expanded
  const absolute = posix.resolve(folder ?? '/', expanded)
  for (const [link, target] of links)
    if (absolute === link || absolute.startsWith(`${link}/`)) return posix.join(target, absolute.slice(link.length))
  return absolute
}

/** Where a `cd` leads. */
export function folderAfter(words: readonly string[], walk: Walk): string | undefined {
  const target = words.find((word) => !/^-[LPe@]+$/.test(word) && word !== '--')
  if (target === undefined) return walk.place.userHome
  if (target === '-' || /[$*?[]/.test(target)) return undefined
  const path = placePath(target, walk)
  if (!path.startsWith('/')) return undefined
  const real = realPath(path)
  if (real === undefined && walk.folder !== undefined) walk.others.add(walk.folder)
  return real ?? path
}

/** Looks when it is asked for the first time, and then no more. */
export function realOnce(path: string): () => string {
  let real: string | undefined
  return () => {
    real ??= realFolder(path)
    return real
  }
}

export const realFolder = (path: string): string => realPath(path) ?? path

/** Most folders that a command names are not there: a look that is no error costs microseconds, and an error far more. */
function realPath(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) && realpathSync(path)
  } catch {
    return undefined
  }
}

export const isInside = (path: string, { place: { workspace } }: Walk): boolean => path === workspace || path.startsWith(`${workspace}/`)

/** What a command prints, where it is known. */
export function printedBy({ words, input }: SimpleCommand, walk: Walk): string | undefined {
  const [name = '', ...rest] = words
  if (name !== 'cat' && name !== 'tee') return printedByEcho(words)
  return input !== '' ? input : walk.made.get(placePath(rest[0] ?? '', walk))
}

/** Programs whose arguments are paths, also when they do not look like one. */
const pathPrograms = /^(rm|rmdir|unlink|shred|mv|cp|ln|install|tee|truncate|find|mkfs.*|rimraf)$/

export function placeWord(word: string, name: string, walk: Walk): string {
  if (/^[/~]/.test(word) || (/^ch(mod|own|grp)$/.test(name) && /^\.|\//.test(word))) return placePath(word, walk)
  return pathPrograms.test(name) && !word.startsWith('-') ? placePath(word, walk) : word
}

const encoded: Readonly<Record<string, string>> = { '|': '¦', '>': '›', '<': '‹', ';': '；', '&': '＆' }

/** Inside of a word these characters mean nothing; replaced, a pattern cannot take them for the shell's own. White space becomes `␣`. */
export function encode(word: string): string {
  return word.replaceAll(/\s+/g, '␣').replaceAll(/[|><;&]/g, (character) => encoded[character] ?? character)
}
