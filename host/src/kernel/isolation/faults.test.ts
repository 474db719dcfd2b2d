import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createFaults, parseQuarantine } from './faults.ts'

test('the second fault parts a plugin from the others, the fifth ends in quarantine; each plugin counts for itself', () => {
  const faults = createFaults(createFakeClock())
  expect([1, 2, 3, 4, 5].map((count) => faults.add('mine', `fault ${count}`))).toEqual(['again', 'alone', 'alone', 'alone', 'quarantined'])
  expect(faults.add('other', 'x')).toBe('again')
  expect([faults.count('mine'), faults.last('mine')]).toEqual([5, 'fault 5'])
  faults.forget('mine')
  expect([faults.count('mine'), faults.last('mine'), faults.count('other')]).toEqual([0, undefined, 1])
})

test('a fault counts for ten minutes', async () => {
  const clock = createFakeClock()
  const faults = createFaults(clock)
  for (let count = 0; count < 4; count++) faults.add('mine', 'x')
  await clock.advance(600_000)
  expect(faults.count('mine')).toBe(0)
  expect(faults.add('mine', 'x')).toBe('again')
})

test.each([
  [undefined, undefined],
  ['yes', undefined],
  [{ since: 1 }, undefined],
  [
    { since: 1, faults: 5, detail: 'x' },
    { since: 1, faults: 5, detail: 'x' },
  ],
])('%j is read as %j', (value, quarantine) => {
  expect(parseQuarantine(value)).toEqual(quarantine)
})
