import { expect, test } from 'vitest'
import { checkClock } from './check-machine.ts'

test('a clock that stands before the program was made is a problem', () => {
  const at = (time: string) => checkClock({ now: () => Date.parse(time) })
  expect(at('1970-01-01T00:00:12Z')).toMatchObject({
    verdict: 'problem',
    detail: expect.stringContaining('1970-01-01'),
    fix: 'set the clock',
  })
  expect(at('2025-12-31T23:59:59Z').verdict).toBe('problem')
  expect(at('2026-11-23T12:00:00Z')).toEqual({ check: 'clock', verdict: 'ok', detail: '2026-11-23T12:00:00.000Z' })
})
