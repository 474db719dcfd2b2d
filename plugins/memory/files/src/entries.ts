import type { MemoryBlock, MemoryChange } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

const separator = '\n§\n'

/** The entries of a file: texts between lines that hold nothing but `§`. */
export function parseEntries(text: string): readonly string[] {
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split(/^[ \t]*§[ \t]*$/m)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

export function formatEntries(entries: readonly string[]): string {
  return entries.length === 0 ? '' : `${entries.join(separator)}\n`
}

/** Characters as people count them, separators included. */
export function lengthOf(entries: readonly string[]): number {
  return [...entries.join(separator)].length
}

/** The entries after a change. Rejects what cannot be done, with what to do instead. */
export function applyChange({ target, entries, limit }: MemoryBlock, change: MemoryChange): readonly string[] {
  const text = change.action === 'remove' ? undefined : requireEntry(change.text)
  const old = change.action === 'add' ? undefined : findEntry(entries, change.old)
  const rest = entries.filter((entry) => entry !== old)
  if (text === undefined) return rest
  // What is there already is not said twice.
  if (rest.includes(text)) return rest
  const after = old === undefined ? [...entries, text] : entries.map((entry) => (entry === old ? text : entry))
  const used = lengthOf(after)
  if (used > limit && used > lengthOf(entries)) throw fail('MEMORY_FULL', { target, used, limit, entries: listEntries(entries) })
  return after
}

function requireEntry(text: string): string {
  const entry = text.replaceAll('\r\n', '\n').trim()
  if (entry === '') throw fail('MEMORY_UNCHANGED', { problem: 'the entry is empty' })
  if (parseEntries(entry).length !== 1) throw fail('MEMORY_UNCHANGED', { problem: 'a line with § stands between entries, and in none' })
  return entry
}

/** The one entry that is this text, or in which it stands. */
function findEntry(entries: readonly string[], old: string): string {
  const wanted = old.replaceAll('\r\n', '\n').trim()
  if (wanted === '') throw fail('MEMORY_UNCHANGED', { problem: 'the old text is empty' })
  if (entries.includes(wanted)) return wanted
  const found = entries.filter((entry) => entry.includes(wanted))
  const [only] = found
  if (only === undefined) throw fail('MEMORY_UNCHANGED', { problem: `no entry has the text "${shorten(wanted)}"` })
  if (found.length > 1)
    throw fail('MEMORY_UNCHANGED', {
      problem: `"${shorten(wanted)}" stands in ${found.length} entries; give more of the one that is meant`,
    })
  return only
}

function listEntries(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}`).join('\n') || '(none)'
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`
}
