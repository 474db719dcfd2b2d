import type { Call } from './wire.ts'

/** What was said once in a conversation of the same owner. */
export interface PastMessage {
  readonly session: string
  /** Of the session; null where it has none. */
  readonly title: string | null
  readonly role: 'user' | 'assistant' | 'tool'
  /** Milliseconds since 1970. */
  readonly at: number
  /** Its number in the session, from 1. */
  readonly number: number
  /** The text, or the part of it that was found. */
  readonly text: string
}

/** Whose memory it is: the owner of the profile, a person on a platform, or a group there. The host makes it; nobody else can name one. */
export interface MemoryOwner {
  /** Opaque; the same text is the same owner. */
  readonly key: string
  /** Absolute path of a folder for files of this owner. It need not exist yet. */
  readonly folder: string
  /** Messages of earlier conversations of this owner with any of the words, best match first. Needs the host permission `sessions`. */
  search(wish: { readonly query: string; readonly most: number }, call: Call): Promise<readonly PastMessage[]>
}

/** What is remembered about one target: `memory` is what the agent noted, `user` is who the owner is. */
export interface MemoryBlock {
  readonly target: 'memory' | 'user'
  readonly entries: readonly string[]
  /** Most characters, separators between entries (a line with `§`) included. */
  readonly limit: number
}

/** `old` is a text that stands in one entry only, or that entry as a whole; the change is about this whole entry. */
export type MemoryChange =
  | { readonly action: 'add'; readonly target: MemoryBlock['target']; readonly text: string }
  | { readonly action: 'replace'; readonly target: MemoryBlock['target']; readonly old: string; readonly text: string }
  | { readonly action: 'remove'; readonly target: MemoryBlock['target']; readonly old: string }

/** Something that is remembered and fits a question. */
export interface MemoryHit {
  readonly text: string
  /** When it was said or noted: milliseconds since 1970. */
  readonly at?: number
  /** The conversation that it comes from. */
  readonly session?: string
  readonly title?: string
}
