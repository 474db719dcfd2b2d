import { basename } from 'node:path'
import type { PathUse } from '../shell/paths-of.ts'

/** What a call would do, as far as its words tell. */
export interface Effects {
  /** The command or path. */
  readonly text: string
  /** Names of all dangers, also of those that need no question. */
  readonly names: readonly string[]
  readonly paths: readonly PathUse[]
  /** The whole call, where nobody knows what it does: it does the same only when it is the same. */
  readonly call?: string
}

/** What a person has refused in a turn: the effect, in whatever words it comes again. */
export interface Denials {
  add(turn: string, denied: Effects): void
  /** The refused text that a call repeats; `sure` when it would do the same, else it is worth a word in the question. */
  repeated(turn: string, wanted: Effects): { readonly text: string; readonly sure: boolean } | undefined
}

const mostTurns = 200

export function createDenials(): Denials {
  const turns = new Map<string, readonly Effects[]>()
  return {
    add(turn, denied) {
      turns.set(turn, [...(turns.get(turn) ?? []), denied])
      const [oldest] = turns.keys()
      if (turns.size > mostTurns && oldest !== undefined) turns.delete(oldest)
    },
    repeated(turn, wanted) {
      const denied = turns.get(turn) ?? []
      const same = denied.find((each) => doesSame(each, wanted))
      if (same) return { text: same.text, sure: true }
      const alike = denied.find((each) => each.names.some((name) => wanted.names.includes(name)) || (deletes(each) && deletes(wanted)))
      return alike && { text: alike.text, sure: false }
    },
  }
}

const deletes = ({ names }: Effects): boolean => names.some((name) => /delete|discard|move-away|overwrite/.test(name))

/** Programs and texts that say too little about what they would do. */
const opaque = /^(script-text|made-here|hidden-program|shell-command|piped-script|remote-script|unknown-wrapper)$/

function doesSame(denied: Effects, wanted: Effects): boolean {
  if (denied.call !== undefined && denied.call === wanted.call) return true
  const changed = denied.paths.filter(({ use }) => use !== 'read')
  if (changed.some((path) => wanted.paths.some((other) => overlaps(path, other)))) return true
  return wanted.names.some((name) => opaque.test(name)) && changed.some(({ path }) => wanted.text.includes(basename(path) || path))
}

function overlaps(denied: PathUse, wanted: PathUse): boolean {
  if (wanted.use !== denied.use) return false
  if (wanted.path === denied.path) return true
  return denied.use === 'remove' && (isBelow(wanted.path, denied.path) || isBelow(denied.path, wanted.path))
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith('/') ? folder : `${folder.replace(/\/\*$/, '')}/`)
