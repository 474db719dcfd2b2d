import type { Clock } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { newId } from './ids.ts'

test('ids carry their prefix, sort by time and do not repeat', () => {
  let now = 1_700_000_000_000
  const clock: Clock = { now: () => now, sleep: async () => {} }
  const ids = Array.from({ length: 500 }, () => {
    now += 1
    return newId('ses', clock)
  })
  expect(ids[0]).toMatch(/^ses_[0-9a-hjkmnp-tv-z]{23}$/)
  expect([...ids].sort()).toEqual(ids)
  now = 1_700_000_000_000
  expect(new Set(Array.from({ length: 500 }, () => newId('msg', clock))).size).toBe(500)
})
