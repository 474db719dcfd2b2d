import { Cron } from 'croner'
import type { DueTime } from '#store/jobs.ts'
import type { Schedule } from './parse-schedule.ts'

const minute = 60_000
const hour = 60 * minute

/** In which zone a schedule is meant, and from when an interval counts. */
export interface DueFrame {
  readonly zone: string
  readonly anchorAt: number
}

/** The first due time after a moment; null where none comes. */
export function nextTime(schedule: Schedule, after: number, frame: DueFrame): number | null {
  return dueTimes(schedule, frame)(after)
}

/** The due times from one of them on until a moment, at most so many. */
export function comingTimes(
  schedule: Schedule,
  from: number | null,
  { until, most }: { readonly until: number; readonly most: number },
  frame: DueFrame,
): readonly number[] {
  const next = dueTimes(schedule, frame)
  const found: number[] = []
  for (let at = from; at !== null && at <= until && found.length < most; at = next(at)) found.push(at)
  return found
}

/** The first due time after a moment, for many moments. A time that a clock change leaves out is due when it is over; one that comes twice is due once. */
function dueTimes(schedule: Schedule, { zone, anchorAt }: DueFrame): (after: number) => number | null {
  if (schedule.type === 'once') return (after) => (schedule.at > after ? schedule.at : null)
  if (schedule.type === 'interval')
    return (after) =>
      after < anchorAt ? anchorAt + schedule.ms : anchorAt + (Math.floor((after - anchorAt) / schedule.ms) + 1) * schedule.ms
  const cron = new Cron(schedule.text, { timezone: zone, paused: true })
  const next = (after: number): number | null => cron.nextRun(new Date(after))?.getTime() ?? null
  // The library knows that a time comes twice only where hour and minute are one number each.
  if (!hasSeveralTimes(schedule.text)) return next
  const isRepeated = createRepeatCheck(zone)
  return (after) => {
    let at = next(after)
    while (at !== null && isRepeated(at)) at = next(at)
    return at
  }
}

/** Whether a pattern is due several times a day, and not in every hour, which goes on with real time. */
function hasSeveralTimes(text: string): boolean {
  const [minutes = '', hours] = text.split(' ')
  return hours !== undefined && !/^\*(\/1)?$/.test(hours) && !/^\d+ \d+$/.test(`${minutes} ${hours}`)
}

/** By so many minutes clocks are set back somewhere. */
const setBack = [30, 60, 120] as const

/** Whether the clock of a zone shows for the second time what it shows. */
function createRepeatCheck(zone: string): (at: number) => boolean {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, day: 'numeric', hour: 'numeric', minute: 'numeric', hourCycle: 'h23' })
  return (at) => setBack.some((minutes) => format.format(at - minutes * minute) === format.format(at))
}

/** More due times than this are not counted one by one. */
const mostCounted = 1_000

/** A due time with what passed since: the last one that is over, and the first that is still to come. */
export interface PassedTimes extends DueTime {
  readonly lastAt: number
  /** How late the last one may still be run as if it were on time. */
  readonly graceMs: number
}

/** What has become due from `dueAt` to now. */
export function passedTimes(schedule: Schedule, dueAt: number, now: number, frame: DueFrame): PassedTimes {
  let collapsed = 0
  let lastAt = dueAt
  const next = dueTimes(schedule, frame)
  let nextAt = next(dueAt)
  while (nextAt !== null && nextAt <= now && collapsed < mostCounted) {
    collapsed++
    lastAt = nextAt
    nextAt = next(nextAt)
  }
  if (nextAt !== null && nextAt <= now) nextAt = next(now)
  return { dueAt, lastAt, nextAt, collapsed, graceMs: graceOf(lastAt, nextAt) }
}

/** Half of the time until the next one, at least two minutes and at most two hours. */
function graceOf(lastAt: number, nextAt: number | null): number {
  return nextAt === null ? 2 * minute : Math.min(Math.max((nextAt - lastAt) / 2, 2 * minute), 2 * hour)
}
