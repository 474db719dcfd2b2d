import type { LiveLoaded } from '#config/file/live-loaded.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { type AnyContribution, type Catalog, createCatalog, hasCode } from '#kernel/catalog/catalog.ts'
import { createLiveCatalog } from '#kernel/catalog/live-catalog.ts'
import { isolationOf } from '#kernel/isolation/permission-set.ts'
import { type Change, compare, type Known, keyOf } from './compare.ts'
import { fingerprint, hashEntry } from './fingerprint.ts'

/** What the settings and plugins on disk would make of the agent. */
export interface Candidate {
  readonly loaded: Loaded
  readonly catalog: Catalog
  /** What could run, by its key. */
  readonly found: ReadonlyMap<string, Known>
  readonly changes: readonly Change[]
}

/** Settings and plugins, which a running agent may take again. What did not change stays the very same object. */
export interface Generations {
  /** Shows what holds now. */
  readonly catalog: Catalog
  readonly loaded: Loaded
  number(): number
  /** The settings that a contribution lives with: what is being tried has its own, what goes on keeps its own. */
  loadedFor(contribution: AnyContribution): Loaded
  /** What config.yaml says for each plugin, while a candidate is tried for that one. */
  pluginSettings(): PluginSettings
  /** Reads what is on disk, and changes nothing. Rejects where the settings cannot be used. */
  prepare(): Promise<Candidate>
  /** From now on the candidate holds, except for the contributions in `kept`, which go on as they were. */
  adopt(candidate: Candidate, kept: ReadonlySet<string>): void
}

type PluginSettings = Loaded['config']['plugins']

export interface GenerationsOptions {
  readonly live: LiveLoaded
  readonly catalog: Catalog
  readonly read: () => Promise<Pick<Candidate, 'loaded' | 'catalog'>>
}

export function createGenerations({ live, catalog, read }: GenerationsOptions): Generations {
  const shown = createLiveCatalog(catalog)
  const born = new WeakMap<AnyContribution, Loaded>()
  const first = live.now()
  // What runs was read now; the rest is not needed before the first reload, which most processes never see.
  const entries = new Map(catalog.contributions().map((contribution) => [contribution, hashEntry(contribution)]))
  let current: Map<string, Known> | undefined
  const known = (): Map<string, Known> => {
    current ??= lookAt(catalog, first, (contribution) => entries.get(contribution) ?? '')
    return current
  }
  let number = 1
  let tried: Loaded | undefined
  return {
    catalog: shown.catalog,
    loaded: live.loaded,
    number: () => number,
    loadedFor: (contribution) => born.get(contribution) ?? live.loaded,
    pluginSettings: () => (tried ?? live.now()).config.plugins,
    prepare: async () => {
      const next = await read()
      tried = next.loaded
      const found = lookAt(next.catalog, next.loaded, hashEntry)
      const changes = compare(known(), found)
      for (const { after } of changes) if (after) born.set(after, next.loaded)
      return { ...next, found, changes }
    },
    adopt: ({ loaded, catalog: next, found, changes }, kept) => {
      const merged = new Map(found)
      const changed = new Set(changes.map(({ key }) => key))
      for (const [key, before] of known()) {
        if (!kept.has(key) && (changed.has(key) || !found.has(key))) continue
        if (kept.has(key) && !born.has(before.contribution)) born.set(before.contribution, live.now())
        merged.set(key, before)
      }
      current = merged
      live.replace(loaded)
      tried = undefined
      shown.replace(
        createCatalog(
          next.plugins,
          [...merged.values()].map(({ contribution }) => contribution),
        ),
      )
      number += 1
    },
  }
}

function lookAt(catalog: Catalog, loaded: Loaded, entryOf: (contribution: AnyContribution) => string): Map<string, Known> {
  return new Map(
    catalog.contributions().map((contribution): [string, Known] => {
      const { plugin } = contribution
      const inProcess = hasCode(contribution) && isolationOf(plugin, loaded.config.plugins) === 'inproc'
      return [keyOf(contribution), { contribution, print: fingerprint(contribution, loaded, entryOf(contribution)), inProcess }]
    }),
  )
}
