import { expect, test } from 'vitest'
import { comingTimes, nextTime, passedTimes } from './due-times.ts'
import { parseSchedule } from './parse-schedule.ts'

const at = (text: string): number => Date.parse(text)
const iso = (time: number | null): string => (time === null ? 'none' : new Date(time).toISOString())
const hour = 3_600_000

test('a time that a clock change leaves out is due once, right after it', () => {
  const frame = { zone: 'Europe/Berlin', anchorAt: 0 }
  const schedule = parseSchedule('30 2 * * *', { zone: frame.zone, now: 0 })
  const first = nextTime(schedule, at('2026-03-28T12:00:00Z'), frame)
  expect(iso(first)).toBe('2026-03-29T01:00:00.000Z')
  expect(iso(nextTime(schedule, first ?? 0, frame))).toBe('2026-03-30T00:30:00.000Z')
})

test('a time that a clock change brings twice is due once, also for who looks in between', () => {
  const frame = { zone: 'Europe/Berlin', anchorAt: 0 }
  const schedule = parseSchedule('30 2 * * *', { zone: frame.zone, now: 0 })
  expect(iso(nextTime(schedule, at('2026-10-24T12:00:00Z'), frame))).toBe('2026-10-25T00:30:00.000Z')
  for (const between of ['2026-10-25T00:30:00Z', '2026-10-25T01:10:00Z', '2026-10-25T01:30:00Z'])
    expect(iso(nextTime(schedule, at(between), frame))).toBe('2026-10-26T01:30:00.000Z')
})

test.each([
  ['0 */2 * * *', '2026-10-25T03:00:00.000Z'],
  ['0 * * * *', '2026-10-25T01:00:00.000Z'],
  ['0 */1 * * *', '2026-10-25T01:00:00.000Z'],
])('in the hour that comes twice hours of the day go by the clock on the wall, and every hour by time: %s', (text, second) => {
  const frame = { zone: 'Europe/Berlin', anchorAt: 0 }
  const schedule = parseSchedule(text, { zone: frame.zone, now: 0 })
  // 02:00, before the clock goes back to it an hour later.
  const first = '2026-10-25T00:00:00.000Z'
  expect(iso(nextTime(schedule, at(first) - 1, frame))).toBe(first)
  expect(iso(nextTime(schedule, at(first), frame))).toBe(second)
})

test('an interval counts from its beginning, whatever the clocks of its zone do', () => {
  const anchorAt = at('2026-03-28T23:50:00Z')
  const frame = { zone: 'Europe/Berlin', anchorAt }
  const schedule = parseSchedule('every 90m', { zone: frame.zone, now: anchorAt })
  expect(nextTime(schedule, anchorAt, frame)).toBe(anchorAt + 1.5 * hour)
  expect(nextTime(schedule, anchorAt + 1.5 * hour, frame)).toBe(anchorAt + 3 * hour)
  expect(nextTime(schedule, anchorAt + 100 * hour, frame)).toBe(anchorAt + 100.5 * hour)
})

test('what passed is counted, and what is late has its grace', () => {
  const frame = { zone: 'UTC', anchorAt: 0 }
  const hourly = parseSchedule('0 * * * *', { zone: 'UTC', now: 0 })
  const due = at('2026-01-01T00:00:00Z')
  expect(passedTimes(hourly, due, due, frame)).toMatchObject({ collapsed: 0, nextAt: due + hour, lastAt: due, graceMs: hour / 2 })
  expect(passedTimes(hourly, due, due + 5.5 * hour, frame)).toMatchObject({ collapsed: 5, nextAt: due + 6 * hour, lastAt: due + 5 * hour })
  const minutely = parseSchedule('* * * * *', { zone: 'UTC', now: 0 })
  expect(passedTimes(minutely, due, due + 24 * hour, frame)).toMatchObject({ collapsed: 1000, nextAt: due + 24 * hour + 60_000 })
  expect(passedTimes(parseSchedule('0 9 1 * *', { zone: 'UTC', now: 0 }), due, due, frame).graceMs).toBe(2 * hour)
  const once = parseSchedule(iso(due), { zone: 'UTC', now: due - 1 })
  expect(passedTimes(once, due, due + 5, frame)).toMatchObject({ collapsed: 0, nextAt: null, graceMs: 120_000 })
})

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'] as const

test.for(zones)(
  'a year of jobs in %s: each day has its time exactly once, and so has each half hour of the machine when the clocks change',
  (zone) => {
    const frame = { zone, anchorAt: 0 }
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
    const start = at('2026-01-01T12:00:00Z')
    for (const text of ['30 2 * * *', '0 3 * * *', '15 1 * * *', '59 23 * * *', '45 1 * * *']) {
      const schedule = parseSchedule(text, { zone, now: start })
      const days: string[] = []
      const next = (time: number): number | null => nextTime(schedule, time, frame)
      for (let time = next(start); time !== null && days.length < 400; time = next(time)) days.push(day.format(time))
      expect(new Set(days).size, text).toBe(400)
      const first = at(`${days[0]}T00:00:00Z`)
      expect(days, text).toEqual(days.map((_each, index) => new Date(first + index * 24 * hour).toISOString().slice(0, 10)))
    }
    const halfHourly = parseSchedule('*/30 * * * *', { zone, now: start })
    const changes = changesIn(zone, start)
    expect(changes).toHaveLength(2)
    // Between two changes every day is like the one before it.
    for (const change of changes)
      for (let time = change - 36 * hour; time < change + 36 * hour; time += hour / 2)
        expect(nextTime(halfHourly, time, frame)).toBe(time + hour / 2)
  },
)

/** Noons of the days, in 400 days, before which the clocks of a zone were changed. */
function changesIn(zone: string, start: number): readonly number[] {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' })
  const noons = Array.from({ length: 400 }, (_, day) => start + day * 24 * hour)
  return noons.filter((noon, day) => day > 0 && clock.format(noon) !== clock.format(noon - 24 * hour))
}

test.for([
  ['50 1,13 * * *', '05:50 18:50 06:50'],
  ['0,30 1 * * *', '05:00 05:30 06:00'],
  ['50 1-2 * * *', '05:50 07:50 06:50'],
  ['50 */1 * * *', '04:50 05:50 06:50'],
] as const)('%s is due at %s from the night on in which the clock goes back: hours that are named come once', ([text, expected]) => {
  const found: string[] = []
  for (let at = Date.parse('2026-11-01T04:00:00Z'); found.length < 3; ) {
    at = nextTime({ type: 'cron', text }, at, { zone: 'America/New_York', anchorAt: 0 }) ?? 0
    found.push(new Date(at).toISOString().slice(11, 16))
  }
  expect(found.join(' ')).toBe(expected)
})

test('what comes is counted from one due time on, until a moment and at most so often', () => {
  const frame = { zone: 'UTC', anchorAt: 0 }
  const schedule = parseSchedule('every 1h', { zone: 'UTC', now: 0 })
  expect(comingTimes(schedule, hour, { until: 3 * hour, most: 10 }, frame)).toEqual([hour, 2 * hour, 3 * hour])
  expect(comingTimes(schedule, hour, { until: 9 * hour, most: 2 }, frame)).toEqual([hour, 2 * hour])
  expect(comingTimes(schedule, null, { until: 9 * hour, most: 2 }, frame)).toEqual([])
  const once = parseSchedule('in 2h', { zone: 'UTC', now: 0 })
  expect(comingTimes(once, 2 * hour, { until: 9 * hour, most: 10 }, frame)).toEqual([2 * hour])
})
