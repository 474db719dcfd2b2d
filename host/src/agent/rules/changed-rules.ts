import { basename, dirname, relative } from 'node:path'
import { scanName } from '#kernel/scan-text.ts'
import type { RuleFile, Rules } from './read-rules.ts'

/** What a rule file looks like in front of a model. */
export const writeRule = ({ path, text }: RuleFile): string =>
  `<rules file=${JSON.stringify(scanName(path) ?? basename(path))}>\n${text}\n</rules>`

/** The rules of a workspace at any later time. */
export interface RuleReader {
  readonly workspace: string
  /** Undefined where rules are left out. */
  now(): Rules | undefined
}

/** How the rules of now differ from those that a session began with. */
export interface ChangedRules {
  /** Files with a text that its prompt does not have, the nearest last. */
  readonly files: readonly RuleFile[]
  /** Files of the prompt that are not followed any more. */
  readonly gone: readonly string[]
  /** Why files are left out, a sentence each. */
  readonly notes: readonly string[]
}

export function changedRules(system: string, { workspace, now }: RuleReader): ChangedRules {
  const rules = now()
  if (!rules) return { files: [], gone: [], notes: [] }
  const { files, notes } = rules
  const [same, changed] = [new Set<string>(), [] as RuleFile[]]
  for (const file of files) {
    if (system.includes(writeRule(file))) same.add(file.path)
    else changed.push(file)
  }
  const read = new Set(files.map(({ path }) => path))
  return {
    files: changed,
    gone: pathsIn(system).filter((path) => !read.has(path) && isAbove(path, workspace)),
    // A session that begins names what is left out of its files.
    notes: notes.filter((note) => ![...same].some((path) => note.startsWith(`${path} `))),
  }
}

/** A text among the rules may hold anything: only what `writeRule` can have written is read. */
const opening = /^<rules file=("(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[0-9a-f]{4})*")>$/gmu

function pathsIn(system: string): readonly string[] {
  return [...system.matchAll(opening)].map(([, path = '']) => JSON.parse(path) as string)
}

/** A session that goes on in another folder keeps the rules of its first one. */
function isAbove(path: string, workspace: string): boolean {
  return !relative(dirname(path), workspace).startsWith('..')
}
