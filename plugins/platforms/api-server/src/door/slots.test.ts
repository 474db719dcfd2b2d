import { expect, test } from 'vitest'
import { createSlots } from './slots.ts'

test('a place over the limit is refused for a second, until one is given back', () => {
  const slots = createSlots(1)
  const release = slots.take()
  expect(() => slots.take()).toThrow(expect.objectContaining({ code: 'HTTP_TOO_MANY', params: { limit: 1 }, retryAfterMs: 1_000 }))
  release()
  slots.take()
  expect(slots.running).toBe(1)
})
