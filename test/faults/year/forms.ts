import type { Random } from '../random.ts'
import type { Zone } from './zones.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How late something may be is told by what comes after it. */
export const beyond = 40 * day

/** The year through which jobs are run. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A schedule as a person writes it, and when it is due by the words of the documentation. */
export interface Written {
  readonly text: string
  /** All due times of the span and of some weeks after it, in order. `madeAt`: when it was written. */
  due(zone: Zone, span: Span, madeAt: number): readonly number[]
}

/** One way to write schedules; gives another one each time. */
export interface Form {
  readonly name: string
  /** So many of 500 jobs are written so. */
  readonly share: number
  write(random: Random, span: Span): Written
}

type Days = (date: Date) => boolean

/** On these days, when the wall shows one of these times. */
function atLocal(text: string, isDay: Days, times: readonly (readonly [hours: number, minutes: number])[]): Written {
  return {
    text,
    due: (zone, { from, to }, madeAt) => {
      const found: number[] = []
      for (let local = from - 2 * day; local < to + beyond; local += day) {
        if (!isDay(new Date(local))) continue
        for (const [hours, minutes] of times) found.push(zone.whenShown(local + hours * hour + minutes * minute))
      }
      return found.filter((at) => at > madeAt)
    },
  }
}

const everyDay: Days = () => true
const onWeekdays =
  (...days: readonly number[]): Days =>
  (date) =>
    days.includes(date.getUTCDay())
const onDate =
  (...dates: readonly number[]): Days =>
  (date) =>
    dates.includes(date.getUTCDate())
const two = (number: number): string => String(number).padStart(2, '0')
/** Clocks change in the small hours, so many are due then. */
const someHour = (random: Random): number => (random.next() < 0.5 ? 1 + Math.floor(random.next() * 3) : Math.floor(random.next() * 24))
const someMinute = (random: Random): number => Math.floor(random.next() * 12) * 5

const clockTime = (random: Random): readonly [number, number] => [someHour(random), someMinute(random)]

export const forms: readonly Form[] = [
  form('daily at 2:30', 5, (random) => {
    const [hours, minutes] = clockTime(random)
    return atLocal(`daily at ${hours}:${two(minutes)}`, everyDay, [[hours, minutes]])
  }),
  form('weekdays 8:30', 4, (random) => {
    const [hours, minutes] = clockTime(random)
    return atLocal(`weekdays ${hours}:${two(minutes)}`, onWeekdays(1, 2, 3, 4, 5), [[hours, minutes]])
  }),
  form('mon,fri at 6pm', 10, (random) => {
    const [hours, minutes] = clockTime(random)
    const half = hours < 12 ? 'am' : 'pm'
    return atLocal(`mon,fri at ${hours % 12 || 12}:${two(minutes)}${half}`, onWeekdays(1, 5), [[hours, minutes]])
  }),
  form('weekly sunday 2:15', 36, (random) => {
    const [hours, minutes] = clockTime(random)
    return atLocal(`weekly sunday ${hours}:${two(minutes)}`, onWeekdays(0), [[hours, minutes]])
  }),
  form('5 2 * * sat,sun', 6, (random) => {
    const [hours, minutes] = clockTime(random)
    return atLocal(`${minutes} ${hours} * * sat,sun`, onWeekdays(0, 6), [[hours, minutes]])
  }),
  form('0 1,13 1,15 * *', 14, (random) => {
    const minutes = someMinute(random)
    return atLocal(`${minutes} 1,13 1,15 * *`, onDate(1, 15), [
      [1, minutes],
      [13, minutes],
    ])
  }),
  form('@monthly', 60, () => atLocal('@monthly', onDate(1), [[0, 0]])),
  form('@weekly', 15, () => atLocal('@weekly', onWeekdays(0), [[0, 0]])),
  form('every 12h', 1, (random) => every(`every ${12 + Math.floor(random.next() * 3)}h`)),
  form('every 3d', 10, (random) => every(`every ${2 + Math.floor(random.next() * 9)}d`)),
  form('every 2w', 49, (random) => every(`every ${1 + Math.floor(random.next() * 4)}w`)),
  form('in 20d', 145, (random, { from, to }) => {
    const days = 1 + Math.floor(random.next() * ((to - from) / day - 1))
    return { text: `in ${days}d`, due: (_zone, _span, madeAt) => [madeAt + days * day] }
  }),
  form('2026-03-29T02:30', 145, (random, { from, to }) => {
    const local = from + Math.floor(random.between(1, (to - from) / day - 2)) * day + someHour(random) * hour + someMinute(random) * minute
    return { text: new Date(local).toISOString().slice(0, 16), due: (zone) => [zone.whenShown(local)] }
  }),
]

function form(name: string, share: number, write: Form['write']): Form {
  return { name, share, write }
}

function every(text: string): Written {
  const [, count = '', unit = ''] = /(\d+)(\w)/.exec(text) ?? []
  const ms = Number(count) * ({ h: hour, d: day, w: 7 * day }[unit] ?? 0)
  return {
    text,
    due: (_zone, { to }, madeAt) =>
      Array.from({ length: Math.floor((to + beyond - madeAt) / ms) }, (_, index) => madeAt + (index + 1) * ms),
  }
}
