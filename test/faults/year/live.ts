import { setImmediate as turn } from 'node:timers/promises'
// What is loaded at its first use would take its time in the middle of the year.
import '../../../host/src/jobs/plan-due.ts'
import type { Store } from '../../../host/src/store/store.ts'
import type { Random } from '../random.ts'
import type { YearClock } from './clock.ts'
import type { Span } from './forms.ts'
import { type Stage, startGateway, type YearGateway } from './gateway.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** So many faults come in a year. */
const usualPause = 26 * hour

/** What happened, and what was done about due times. */
export interface Year extends Pick<Stage, 'handled' | 'executed'> {
  readonly counts: { starts: number; kills: number; forward: number; back: number }
  /** The highest that a clock showed while a gateway ran through a whole step, up to each step. */
  readonly servedUpTo: readonly number[]
}

export interface YearOptions {
  readonly clock: YearClock
  readonly random: Random
  readonly span: Span
  readonly stores: readonly [Store, Store]
}

interface Living extends YearOptions {
  readonly stage: Stage
  readonly gateways: (YearGateway | undefined)[]
  readonly year: Year & { readonly servedUpTo: number[] }
}

export async function liveYear(options: YearOptions): Promise<Year> {
  const { clock, random, span, stores } = options
  const year = { handled: [], executed: [], counts: { starts: 0, kills: 0, forward: 0, back: 0 }, servedUpTo: [] as number[] }
  const stage: Stage = { ...{ clock, handled: year.handled, executed: year.executed, busy: 0 }, step: () => year.servedUpTo.length }
  const living: Living = { ...options, stage, year, gateways: [] }
  await start(living, 0)
  let faultAt = clock.now() + pause(random)
  while (clock.now() < span.to) {
    const due = living.gateways.some((gateway) => gateway?.alive) ? await stores[0].jobs.nextDue() : null
    const soonest = due !== null && due <= clock.now() ? clock.now() + minute : (due ?? span.to)
    await step(living, Math.min(span.to, soonest, Math.max(faultAt, clock.now() + 1)))
    if (clock.now() < faultAt) continue
    await befall(living)
    faultAt = clock.now() + pause(random)
  }
  // The last ones are dealt with by somebody who finds what was left.
  for (const gateway of living.gateways) gateway?.killSoon(0)
  await start(living, 0)
  await step(living, span.to)
  return year
}

const pause = (random: Random): number => Math.round(random.next() * 2 * usualPause)

/** Lets time pass, and waits until nobody has anything to do. */
async function step(living: Living, until: number): Promise<void> {
  const { clock, gateways, stage, year } = living
  const before = gateways.filter((gateway) => gateway?.alive)
  clock.passUntil(until)
  do for (let quiet = 0; quiet < 8; quiet = stage.busy === 0 ? quiet + 1 : 0) await turn()
  while (await isBehind(living))
  const isServed = before.some((gateway) => gateway?.alive) && clock.sinceSet() >= minute
  year.servedUpTo.push(Math.max(year.servedUpTo.at(-1) ?? Number.NEGATIVE_INFINITY, isServed ? clock.now() : Number.NEGATIVE_INFINITY))
}

/** Whether a gateway that has had its time to look still finds something due. */
async function isBehind({ clock, gateways, stores }: Living): Promise<boolean> {
  // Who sleeps hears nothing of a clock that was set, for a minute at most.
  if (clock.sinceSet() < minute || !gateways.some((gateway) => gateway?.alive)) return false
  return ((await stores[0].jobs.nextDue()) ?? Number.POSITIVE_INFINITY) <= clock.now()
}

async function start(living: Living, slot: number): Promise<void> {
  const { stage, stores, gateways, year, clock } = living
  year.counts.starts++
  const store = stores[slot] ?? stores[0]
  gateways[slot] = await startGateway(stage, store, `boot_${year.counts.starts}`)
  await step(living, clock.now())
}

/** One thing that goes wrong, or is put right. */
async function befall(living: Living): Promise<void> {
  const { gateways, random, clock, span, year } = living
  const slot = random.pick([0, 1])
  const gateway = gateways[slot]
  if (!gateway?.alive && random.next() < 0.6) return start(living, slot)
  const what = random.next()
  if (gateway?.alive && what < 0.5) {
    year.counts.kills++
    return gateway.killSoon(1 + Math.floor(random.next() * 80))
  }
  // From minutes to days, as often small as large.
  const byMs = Math.round(minute * 4000 ** random.next())
  if (what < 0.75 && clock.now() + byMs < span.to - day) {
    year.counts.forward++
    clock.set(byMs)
  } else if (clock.now() - byMs > span.from) {
    year.counts.back++
    clock.set(-Math.min(byMs, day))
  }
}
