import { expect, test } from 'vitest'
import { createTemporaryStore } from '../testing/temporary-store.ts'

test('a lease is held by one owner until it ends, is renewed or released', async () => {
  await using temporary = await createTemporaryStore()
  const { leases } = await temporary.open()
  const { leases: other } = await temporary.open()
  expect(await Promise.all([leases.hold('bot', 'a', 100), other.hold('bot', 'b', 100)])).toEqual([true, false])
  expect(await other.holder('bot')).toBe('a')
  temporary.clock.time += 90
  expect(await leases.hold('bot', 'a', 100)).toBe(true)
  temporary.clock.time += 90
  expect(await other.hold('bot', 'b', 100)).toBe(false)
  await other.release('bot', 'b')
  expect(await other.holder('bot')).toBe('a')
  temporary.clock.time += 10
  expect(await other.holder('bot')).toBeUndefined()
  expect(await other.hold('bot', 'b', 100)).toBe(true)
  await other.release('bot', 'b')
  expect(await leases.hold('bot', 'a', 100)).toBe(true)
})
