import type { Clock } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { domainOf } from './sentences.ts'
import type { Change, EntityState } from './wire.ts'

/** States that say nothing about the house: a device or the server was started. */
const empty = new Set(['unknown', 'unavailable'])

export interface Reported {
  readonly before: EntityState
  readonly after: EntityState
}

/** Whether anything is watched at all. */
export function isWatching({ watch_all, watch_domains, watch_entities }: Config): boolean {
  return watch_all || watch_domains.length > 0 || watch_entities.length > 0
}

/** Picks the changes that are reported: watched, not ignored, of the state itself, and not too soon after the last. */
export function createWatch(config: Config, clock: Pick<Clock, 'now'>): (change: Change) => Reported | undefined {
  const { watch_all, cooldown_seconds } = config
  const [domains, entities, ignored] = [config.watch_domains, config.watch_entities, config.ignore_entities].map((names) => new Set(names))
  const told = new Map<string, number>()
  return ({ entity_id: entity, old_state: before, new_state: after }) => {
    if (ignored?.has(entity)) return undefined
    if (!watch_all && !domains?.has(domainOf(entity)) && !entities?.has(entity)) return undefined
    if (!before || !after || before.state === after.state || empty.has(before.state) || empty.has(after.state)) return undefined
    const now = clock.now()
    if (now - (told.get(entity) ?? Number.NEGATIVE_INFINITY) < cooldown_seconds * 1000) return undefined
    told.set(entity, now)
    return { before, after }
  }
}
