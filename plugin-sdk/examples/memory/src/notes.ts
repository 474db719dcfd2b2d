import type { MemoryBlock, MemoryChange } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

/** The entries after a change; a failure has a code. */
export function applyChange({ target, entries, limit }: MemoryBlock, change: MemoryChange): readonly string[] {
  const old = change.action === 'add' ? undefined : findEntry(entries, change.old)
  const rest = entries.filter((entry) => entry !== old)
  if (change.action === 'remove' || rest.includes(change.text)) return rest
  const after = old === undefined ? [...entries, change.text] : entries.map((entry) => (entry === old ? change.text : entry))
  const used = after.join('\n§\n').length
  if (used > limit) throw fail('MEMORY_FULL', { target, used, limit, entries: entries.map((entry) => `- ${entry}`).join('\n') })
  return after
}

/** The one entry that is this text, or in which it stands. */
function findEntry(entries: readonly string[], old: string): string {
  if (entries.includes(old)) return old
  const [only, another] = entries.filter((entry) => entry.includes(old))
  if (only === undefined) throw fail('MEMORY_UNCHANGED', { problem: 'no entry has that text' })
  if (another !== undefined) throw fail('MEMORY_UNCHANGED', { problem: 'that text stands in several entries' })
  return only
}

/** Entries that have a word of the question, those with the most words first. */
export function findEntries(entries: readonly string[], query: string): readonly string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []
  const count = (entry: string): number => words.filter((word) => entry.toLowerCase().includes(word)).length
  return entries.filter((entry) => count(entry) > 0).sort((a, b) => count(b) - count(a))
}
