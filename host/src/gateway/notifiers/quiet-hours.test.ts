import { expect, test } from 'vitest'
import { endOfQuiet } from './quiet-hours.ts'

const at = (text: string): number => Date.parse(text)
const end = (now: string, from: string, to: string, zone = 'Europe/Berlin'): string | undefined => {
  const found = endOfQuiet(at(now), { from, to, zone })
  return found === undefined ? undefined : new Date(found).toISOString()
}

test('hours over midnight end in the morning, by the clock of the zone', () => {
  expect(end('2026-01-10T22:30:20Z', '22:00', '07:00')).toBe('2026-01-11T06:00:00.000Z')
  expect(end('2026-01-10T02:00:00Z', '22:00', '07:00')).toBe('2026-01-10T06:00:00.000Z')
  expect(end('2026-01-10T06:00:00Z', '22:00', '07:00')).toBeUndefined()
  expect(end('2026-01-10T20:59:59Z', '22:00', '07:00')).toBeUndefined()
})

test('hours of one day end on it, and from an hour to itself nothing is quiet', () => {
  expect(end('2026-01-10T12:15:00Z', '13:00', '15:00')).toBe('2026-01-10T14:00:00.000Z')
  expect(end('2026-01-10T14:00:00Z', '13:00', '15:00')).toBeUndefined()
  expect(end('2026-01-10T12:15:00Z', '13:00', '13:00')).toBeUndefined()
  expect([endOfQuiet(0, { from: '00:00' }), endOfQuiet(0, { to: '23:00' })]).toEqual([undefined, undefined])
})

test('they are over when the clock has left out their end, and last an hour longer where it goes back', () => {
  expect(end('2026-03-29T00:30:00Z', '22:00', '02:30')).toBe('2026-03-29T01:00:00.000Z')
  expect(end('2026-10-24T22:30:00Z', '22:00', '07:00')).toBe('2026-10-25T06:00:00.000Z')
})

test('a zone that nobody knows is the one of this machine', () => {
  const now = at('2026-01-10T12:15:00Z')
  const hours = { from: '00:00', to: '23:59' }
  expect(endOfQuiet(now, { ...hours, zone: 'Mars/Olympus' })).toBe(endOfQuiet(now, hours))
})
