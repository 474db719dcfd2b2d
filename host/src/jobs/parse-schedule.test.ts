import { isAgentError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { parseSchedule, requireZone } from './parse-schedule.ts'

const now = Date.parse('2026-03-01T10:00:00Z')
const frame = { zone: 'Europe/Berlin', now }

test.for([
  ['0 9 * * mon-fri', 'cron', '0 9 * * mon-fri'],
  ['0 9 1 JAN *', 'cron', '0 9 1 JAN *'],
  ['@daily', 'cron', '@daily'],
  ['daily 9:00', 'cron', '0 9 * * *'],
  ['Daily at 9', 'cron', '0 9 * * *'],
  ['every 1d at 09:00', 'cron', '0 9 * * *'],
  ['every day at 9:30pm', 'cron', '30 21 * * *'],
  ['every day at 12am', 'cron', '0 0 * * *'],
  ['weekdays at 8:30', 'cron', '30 8 * * 1-5'],
  ['weekends 10:00', 'cron', '0 10 * * 0,6'],
  ['every monday at 9', 'cron', '0 9 * * 1'],
  ['mon, wed and fridays at 18:05', 'cron', '5 18 * * 1,3,5'],
  ['weekly sunday 18:00', 'cron', '0 18 * * 0'],
  ['every 30m', 'interval', 'every 30m'],
  ['every  2 hours', 'interval', 'every 2h'],
  ['every day', 'interval', 'every 1d'],
  ['hourly', 'interval', 'every 1h'],
  ['30m', 'once', '2026-03-01T10:30:00.000Z'],
  ['in 2h', 'once', '2026-03-01T12:00:00.000Z'],
  ['in 1 day', 'once', '2026-03-02T10:00:00.000Z'],
  ['2026-05-01T08:00', 'once', '2026-05-01T06:00:00.000Z'],
  ['2026-05-01 08:00', 'once', '2026-05-01T06:00:00.000Z'],
  ['2026-05-01T08:00:00Z', 'once', '2026-05-01T08:00:00.000Z'],
  ['2026-05-01T08:00+05:30', 'once', '2026-05-01T02:30:00.000Z'],
  ['2026-05-01', 'once', '2026-04-30T22:00:00.000Z'],
  // It does not exist in this zone, and comes an hour later.
  ['2026-03-29T02:30', 'once', '2026-03-29T01:30:00.000Z'],
])('%s is %s: %s, and what it is kept as means the same', ([written, type, text]) => {
  const schedule = parseSchedule(written ?? '', frame)
  expect(schedule).toMatchObject({ type, text })
  expect(parseSchedule(schedule.text, frame)).toEqual(schedule)
})

test.for([
  ['', 'none of the known forms'],
  ['sometimes', 'none of the known forms'],
  ['0 9 * *', 'none of the known forms'],
  ['0 0 9 * * 1', 'none of the known forms'],
  ['61 9 * * *', 'minute'],
  ['0 9 * * fun', 'fun'],
  ['0 0 31 2 *', 'never comes'],
  ['every 0m', 'one minute'],
  ['in 90000000h', 'ten years'],
  ['daily at 25:00', 'time of day'],
  ['daily at 13pm', 'time of day'],
  ['2026-02-30T08:00', 'no such date'],
  ['2026-02-01T08:00', 'that moment is over'],
])('%s is refused: %s', ([written, problem]) => {
  try {
    parseSchedule(written ?? '', frame)
    expect.unreachable()
  } catch (error) {
    expect(isAgentError(error, 'SCHEDULE_INVALID') && error.message.toLowerCase()).toContain(problem)
  }
})

test('a zone is one that this machine knows', () => {
  expect(requireZone('America/New_York')).toBe('America/New_York')
  expect(() => requireZone('Mars/Base')).toThrow(expect.objectContaining({ code: 'ZONE_UNKNOWN' }))
  expect(() => parseSchedule('daily 9:00', { zone: 'Mars/Base', now })).toThrow('Mars/Base')
})
