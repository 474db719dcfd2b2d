import type { Clock, Wire } from '@agent/plugin-sdk'

/** Where it is remembered that a plugin is kept from running. */
export interface QuarantinePort {
  get(plugin: string): Promise<Wire | undefined>
  set(plugin: string, value: Wire): Promise<void>
  delete(plugin: string): Promise<void>
}

/** Why a plugin is kept from running. */
export interface Quarantine {
  /** Milliseconds since 1970. */
  readonly since: number
  readonly faults: number
  readonly detail: string
}

/** Faults within this time count together, in milliseconds. */
const windowMs = 600_000
const ownChildAfter = 2
const quarantineAfter = 5

/** What the faults of a plugin lead to. */
export type FaultVerdict = 'again' | 'alone' | 'quarantined'

/** Counts the faults of plugins. */
export interface Faults {
  /** One more: `alone` from the second on within ten minutes, `quarantined` from the fifth. */
  add(plugin: string, detail: string): FaultVerdict
  count(plugin: string): number
  last(plugin: string): string | undefined
  forget(plugin: string): void
}

export function createFaults(clock: Pick<Clock, 'now'>): Faults {
  const known = new Map<string, { readonly at: number; readonly detail: string }[]>()
  const recent = (plugin: string) => (known.get(plugin) ?? []).filter(({ at }) => clock.now() - at < windowMs)
  return {
    add(plugin, detail) {
      const faults = [...recent(plugin), { at: clock.now(), detail }]
      known.set(plugin, faults)
      if (faults.length >= quarantineAfter) return 'quarantined'
      return faults.length >= ownChildAfter ? 'alone' : 'again'
    },
    count: (plugin) => recent(plugin).length,
    last: (plugin) => recent(plugin).at(-1)?.detail,
    forget: (plugin) => void known.delete(plugin),
  }
}

/** What was remembered, if it is what we wrote. */
export function parseQuarantine(value: Wire | undefined): Quarantine | undefined {
  if (typeof value !== 'object' || value === null || !('since' in value) || !('detail' in value)) return undefined
  const { since, faults, detail } = value as { readonly [key: string]: Wire | undefined }
  return { since: Number(since), faults: Number(faults), detail: String(detail) }
}
