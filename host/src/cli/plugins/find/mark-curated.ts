import { findObjection } from '#kernel/curated/judge.ts'
import type { CuratedEntry, CuratedList } from '#kernel/curated/read-list.ts'
import type { FoundPackage } from './find-packages.ts'

interface Recommended {
  readonly catalog: string
  readonly entry: CuratedEntry
}

/** What the lists recommend comes first, in their order, whether the registry has named it or not; what they block or have withdrawn says so. */
export function markCurated(
  found: readonly FoundPackage[],
  lists: readonly CuratedList[],
  words: readonly string[],
): readonly FoundPackage[] {
  if (lists.length === 0) return found
  const recommended = lists.flatMap(({ name, entries }) => entries.map((entry): Recommended => ({ catalog: name, entry })))
  const firsts = recommended.filter((one, at) => recommended.findIndex(({ entry }) => entry.package === one.entry.package) === at)
  const known = new Map(found.map((one) => [one.name, one]))
  const first = firsts.flatMap(({ catalog, entry }) => {
    const one = known.get(entry.package) ?? (fits(entry, words) ? fromEntry(entry) : undefined)
    return one === undefined ? [] : [{ ...one, catalog, ...(entry.note === undefined ? {} : { description: entry.note }) }]
  })
  const names = new Set(first.map(({ name }) => name))
  return [...first, ...found.filter(({ name }) => !names.has(name))].map((one) => object(one, lists))
}

function fits({ package: name, kind = '', note = '' }: CuratedEntry, words: readonly string[]): boolean {
  const text = `${name} ${kind} ${note}`.toLowerCase()
  return words.every((word) => text.includes(word.toLowerCase()))
}

function fromEntry({ package: name, range = '*', kind, note = '' }: CuratedEntry): FoundPackage {
  return { name, version: range, description: note, ...(kind === undefined ? {} : { kinds: [kind] }) }
}

function object(one: FoundPackage, lists: readonly CuratedList[]): FoundPackage {
  const objection = findObjection(lists, { package: one.name, version: one.version })
  if (objection === undefined) return one
  const { type, catalog, reason } = objection
  const what = type === 'blocked' ? 'is blocked by' : `is withdrawn in version ${one.version} by`
  return { ...one, fits: false, misfit: `${what} the catalog ${catalog}: ${reason}` }
}
