import { fitsRange } from '#kernel/catalog/version-range.ts'
import { findObjection, findPin } from '#kernel/curated/judge.ts'
import type { CuratedList } from '#kernel/curated/read-list.ts'
import type { Spec } from '#kernel/package/parse-spec.ts'
import { refuse } from '#kernel/package/refusals.ts'

type Fetched = Exclude<Spec, { type: 'link' }>

/** A name alone means the newest version that the lists allow. */
export function pinSpec(spec: Fetched, lists: readonly CuratedList[]): Fetched {
  if (spec.type !== 'npm' || spec.text.lastIndexOf('@') > 0) return spec
  const pin = findPin(lists, spec.name)
  return pin === undefined ? spec : { ...spec, text: `${spec.name}@${pin.range}` }
}

/** Refuses what a list blocks, has withdrawn or does not allow in this version. */
export function obeyLists(lists: readonly CuratedList[], { name, version }: { readonly name: string; readonly version: string }): void {
  const objection = findObjection(lists, { package: name, version })
  if (objection) {
    const { type, catalog, reason } = objection
    throw refuse(name, type, { catalog, version, reason })
  }
  const pin = findPin(lists, name)
  if (pin !== undefined && !fitsRange(version, pin.range)) throw refuse(name, 'not-pinned', { ...pin, version })
}
