import { fail } from '@agent/plugin-sdk/errors'
import { Cron } from 'croner'

/** When something is due. `text` is how it is written, without anything that depends on the moment of writing. */
export type Schedule =
  | { readonly type: 'cron'; readonly text: string }
  | { readonly type: 'interval'; readonly text: string; readonly ms: number }
  | { readonly type: 'once'; readonly text: string; readonly at: number }

export interface ScheduleFrame {
  readonly zone: string
  /** When it is read: `in 2h` counts from here. */
  readonly now: number
}

const minute = 60_000
const units: Readonly<Record<string, number>> = { m: minute, h: 60 * minute, d: 24 * 60 * minute, w: 7 * 24 * 60 * minute }
const unitWords = '(m|min|mins|minutes?|h|hours?|hrs?|d|days?|w|weeks?)'
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
/** No span is longer than this. */
const longestMs = 3650 * 24 * 60 * minute

/** Throws ZONE_UNKNOWN for a zone that this machine does not know. */
export function requireZone(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch (error) {
    throw fail('ZONE_UNKNOWN', { zone }, { cause: error })
  }
}

/** Reads all forms of a schedule; throws SCHEDULE_INVALID with what is wrong. */
export function parseSchedule(written: string, frame: ScheduleFrame): Schedule {
  requireZone(frame.zone)
  const text = written.trim().replaceAll(/\s+/g, ' ')
  const invalid = (problem: string): Error => fail('SCHEDULE_INVALID', { schedule: text.slice(0, 100), problem })
  const found = parseSpan(text, frame) ?? parseDays(text) ?? parseMoment(text, frame) ?? parseCron(text)
  if (typeof found === 'string') throw invalid(found)
  if (found.type === 'once' && found.at <= frame.now) throw invalid('that moment is over')
  if (found.type === 'cron' && !new Cron(found.text, { timezone: frame.zone, paused: true }).nextRun(new Date(frame.now)))
    throw invalid('that moment never comes')
  return found
}

type Found = Schedule | string | undefined

/** `in 2h`, `30m`, `every 30m`, `every hour`, `hourly`. */
function parseSpan(text: string, { now }: ScheduleFrame): Found {
  if (/^hourly$/i.test(text)) return { type: 'interval', text: 'every 1h', ms: units.h ?? 0 }
  const match = new RegExp(`^(every|in)? ?(?:(\\d+) ?)?${unitWords}$`, 'i').exec(text)
  if (!match || (match[1] === undefined && match[2] === undefined)) return undefined
  const unit = (match[3] ?? '').charAt(0).toLowerCase()
  const count = Number(match[2] ?? 1)
  const ms = count * (units[unit] ?? 0)
  if (ms < minute) return 'it takes at least one minute'
  if (ms > longestMs) return 'that is more than ten years'
  if (match[1]?.toLowerCase() === 'every') return { type: 'interval', text: `every ${count}${unit}`, ms }
  return once(now + ms)
}

const once = (at: number): Schedule => ({ type: 'once', text: new Date(at).toISOString(), at })

/** `daily at 9:00`, `every day at 9`, `weekdays 8:30`, `mon,wed at 18:00`, `weekly sunday 18:00`. */
function parseDays(text: string): Found {
  const match = /^(?:every |weekly )?(?:on )?([a-z1-7]+(?:(?:, ?| and )[a-z]+)*),? (?:at )?(\d{1,2})(?:[:.](\d\d))? ?(am|pm)?$/i.exec(text)
  if (!match) return undefined
  const days = readDays((match[1] ?? '').toLowerCase())
  if (days === undefined) return undefined
  const time = readTime(match[2] ?? '', match[3], match[4])
  if (time === undefined) return 'the time of day is none; write it as 9:00 or 21:30'
  return { type: 'cron', text: `${time.minute} ${time.hour} * * ${days}` }
}

const everyDay: Readonly<Record<string, string>> = {
  ...{ daily: '*', day: '*', days: '*', '1d': '*', everyday: '*' },
  ...{ weekday: '1-5', weekdays: '1-5', weekend: '0,6', weekends: '0,6' },
}

/** Days as five fields of cron write them; undefined where they are none. */
export function readDays(words: string): string | undefined {
  const all = everyDay[words]
  if (all !== undefined) return all
  const numbers = words.split(/, ?| and /).map((word) => dayNames.findIndex((name) => isDay(word, name)))
  return numbers.some((number) => number < 0) ? undefined : [...new Set(numbers)].sort().join(',')
}

export const fullDayNames: readonly string[] = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** `mon`, `tues`, `wednesday`, `fridays`. */
function isDay(word: string, name: (typeof dayNames)[number]): boolean {
  const full = fullDayNames[dayNames.indexOf(name)] ?? name
  return word.startsWith(name) && `${full}s`.startsWith(word)
}

/** A time of day as people write it; undefined where it is none. */
export function readTime(hours: string, minutes = '0', half?: string): { readonly hour: number; readonly minute: number } | undefined {
  const clock = Number(hours)
  if (half !== undefined && (clock < 1 || clock > 12)) return undefined
  const hour = half === undefined ? clock : (clock % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  return hour < 24 && Number(minutes) < 60 ? { hour, minute: Number(minutes) } : undefined
}

/** `2026-05-01T08:00`, with or without an offset, `2026-05-01`. */
function parseMoment(text: string, { zone }: ScheduleFrame): Found {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text)
  if (!match) return undefined
  const [, day = '', time = '00:00', seconds = ':00', offset] = match
  const read = Date.parse(`${day}T${time}${seconds}Z`)
  // A day that a month does not have would become one of the next month.
  if (Number.isNaN(read) || !new Date(read).toISOString().startsWith(day)) return 'there is no such date'
  try {
    const at = offset
      ? Date.parse(`${day}T${time}${seconds}${offset}`)
      : new Cron(`${day}T${time}${seconds}`, { timezone: zone, paused: true }).nextRun(new Date(0))?.getTime()
    return at === undefined || Number.isNaN(at) ? 'there is no such date' : once(at)
  } catch {
    return 'there is no such date'
  }
}

/** Five fields, with names of months and days, or a nickname such as `@daily`. */
function parseCron(text: string): Schedule | string {
  const isNickname = /^@(yearly|annually|monthly|weekly|daily|hourly)$/i.test(text)
  if (!isNickname && text.split(' ').length !== 5) return 'it is none of the known forms'
  try {
    new Cron(text, { paused: true })
    return { type: 'cron', text }
  } catch (error) {
    return (error as Error).message.replace(/^CronPattern: /, '').replace(/\.$/, '')
  }
}
