import type { CuratedList } from './read-list.ts'

/** A version of a package. */
interface Version {
  readonly package: string
  readonly version: string
}

/** What speaks against it, and whose word that is. */
export interface Objection {
  readonly type: 'blocked' | 'withdrawn'
  readonly catalog: string
  readonly reason: string
}

/** The first list that blocks a package or has withdrawn this version of it. */
export function findObjection(lists: readonly CuratedList[], judged: Version): Objection | undefined {
  for (const { name: catalog, blocked, withdrawn } of lists) {
    const block = blocked.find((row) => row.package === judged.package)
    if (block) return { type: 'blocked', catalog, reason: block.reason }
    const gone = withdrawn.find((row) => row.package === judged.package && row.versions.includes(judged.version))
    if (gone) return { type: 'withdrawn', catalog, reason: gone.reason }
  }
  return undefined
}

/** Which versions the first list that recommends a package allows. */
export interface Pin {
  readonly catalog: string
  readonly range: string
}

export function findPin(lists: readonly CuratedList[], name: string): Pin | undefined {
  for (const { name: catalog, entries } of lists) {
    const range = entries.find((row) => row.package === name && row.range !== undefined)?.range
    if (range !== undefined) return { catalog, range }
  }
  return undefined
}
