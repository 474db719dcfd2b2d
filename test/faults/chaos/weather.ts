import type { Disturbance } from '@agent/plugin-sdk/testing'
import type { Crowd } from '../../support/gateways/crowds.ts'
import type { Random } from '../random.ts'

const disturbances: readonly [Disturbance, ...Disturbance[]] = [
  'cut',
  'half-open',
  'slow',
  'slow',
  'limit',
  'limit',
  'error',
  'garbage',
  'lose-receipt',
  'repeat',
  'repeat',
]

/** A half-open connection lasts this long at most; the watchdog has half a minute in this run. */
const longestHalfOpenMs = 45_000

export interface Weather {
  /** How often what happened where. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<Disturbance, number>>
  stop(): Promise<void>
}

/** Things go wrong, about so many times a second, until it is stopped; then nothing does. */
export function openWeather(crowds: readonly Crowd[], random: Random, perSecond: number): Weather {
  const counts = new Map(crowds.map(({ platform }) => [platform, new Map<Disturbance, number>()]))
  let running = true
  const thaws = new Set<NodeJS.Timeout>()
  const disturb = (crowd: Crowd, what: Disturbance): void => {
    if (!crowd.disturb(what)) return
    const count = counts.get(crowd.platform)
    count?.set(what, (count.get(what) ?? 0) + 1)
    if (what === 'half-open') thaws.add(setTimeout(() => disturb(crowd, 'cut'), random.between(1000, longestHalfOpenMs)))
  }
  const blow = async (): Promise<void> => {
    while (running) {
      disturb(random.pick(crowds as [Crowd, ...Crowd[]]), random.pick(disturbances))
      await new Promise((resolve) => setTimeout(resolve, random.between(0, 2000 / perSecond)))
    }
  }
  const blowing = blow()
  return {
    counts,
    stop: async () => {
      running = false
      await blowing
      for (const thaw of thaws) clearTimeout(thaw)
      for (const crowd of crowds) crowd.calm()
    },
  }
}
