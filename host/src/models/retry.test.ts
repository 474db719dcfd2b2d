import { modelErrorClasses } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { mayBeShorter, retryDelay } from './retry.ts'

const delays = (kind: (typeof modelErrorClasses)[number], more: { retryAfterMs?: number; code?: string } = {}) => {
  const found: number[] = []
  for (let attempt = 1; attempt < 20; attempt += 1) {
    const delay = retryDelay({ class: kind, ...more }, attempt, () => 0)
    if (delay === null) return found
    found.push(delay)
  }
  throw new Error(`${kind} is tried again without end`)
}

test('what may pass is tried three times with growing pauses', () => {
  for (const kind of ['rate_limit', 'server_error', 'timeout', 'disconnected', 'unknown'] as const) {
    expect(delays(kind)).toEqual([2000, 4000, 8000])
  }
})

test('an overloaded vendor gets long pauses after the short ones', () => {
  expect(delays('overloaded')).toEqual([2000, 4000, 8000, 15_000, 30_000, 60_000, 120_000])
})

test('what the caller repairs is tried once, at once', () => {
  expect(delays('thinking_signature')).toEqual([0])
  expect(delays('llama_cpp_grammar_pattern')).toEqual([0])
})

test('what stays wrong is not tried again', () => {
  const passing = [
    'rate_limit',
    'server_error',
    'timeout',
    'disconnected',
    'unknown',
    'overloaded',
    'thinking_signature',
    'llama_cpp_grammar_pattern',
  ]
  for (const kind of modelErrorClasses) if (!passing.includes(kind)) expect(delays(kind), kind).toEqual([])
  expect(delays('unknown', { code: 'INTERRUPTED' })).toEqual([])
})

test('the vendor decides how long to wait, up to two minutes', () => {
  expect(delays('rate_limit', { retryAfterMs: 100 })).toEqual([100, 100, 100])
  expect(delays('rate_limit', { retryAfterMs: 120_000 })).toHaveLength(3)
  expect(delays('rate_limit', { retryAfterMs: 120_001 })).toEqual([])
  expect(delays('auth', { retryAfterMs: 1 })).toEqual([])
})

test('a random half is added, so that many clients do not come back together', () => {
  expect(retryDelay({ class: 'timeout' }, 2, () => 1)).toBe(6000)
})

test('a shorter conversation may pass where it was too long or too large', () => {
  expect(modelErrorClasses.filter(mayBeShorter)).toEqual(['context_overflow', 'payload_too_large'])
})
