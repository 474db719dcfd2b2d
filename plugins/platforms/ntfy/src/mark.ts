import { createHash } from 'node:crypto'

/** The tag of a message of ours: recognised when it comes back, and found again by its key. The salt keeps agents on one topic apart. */
export function formatMark(salt: string, key: string): string {
  return `agent-${createHash('sha256').update(`${salt}\n${key}`).digest('hex').slice(0, 24)}`
}

/** True for the mark of any agent: agents that share a topic do not answer each other. */
export function isMark(tag: string): boolean {
  return /^agent-[0-9a-f]{24}$/.test(tag)
}
