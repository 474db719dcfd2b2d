import type { Receipt } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { createSendTries } from './outbox.ts'

const error = toWireError(fail('SEND_UNKNOWN', { platform: 'x', detail: 'it is lost' }))
const lost: Receipt = { status: 'unknown', error }
const limited: Receipt = { status: 'refused', error: { ...error, retryAfterMs: 700 } }
const refused: Receipt = { status: 'refused', error }
const [one, two] = [{ seq: 1 }, { seq: 2 }]

test('what may be repeated is tried for more than a minute, each time a little later', () => {
  const tries = createSendTries()
  const delays = Array.from({ length: 10 }, () => tries.next(one, lost, true))
  expect(delays).toEqual([2000, 4000, 6000, 8000, 10_000, 10_000, 10_000, 10_000, 10_000, undefined])
  expect(tries.next(two, lost, true)).toBe(2000)
  tries.forget(one)
  expect(tries.next(one, lost, true)).toBe(2000)
})

test('what may not be repeated is not, and a refusal without a time is final', () => {
  const tries = createSendTries()
  expect(tries.next(one, lost, false)).toBeUndefined()
  expect(tries.next(one, refused, true)).toBeUndefined()
  expect(tries.next(one, { status: 'sent', platformId: 'm' }, true)).toBeUndefined()
})

test('who asks for patience gets fifty tries, at the times that are named', () => {
  const tries = createSendTries()
  for (let count = 1; count < 50; count++) expect(tries.next(one, limited, false)).toBe(700)
  expect(tries.next(one, limited, false)).toBeUndefined()
})
