import { expect, test } from 'vitest'
import { createTemporaryStore } from '../testing/temporary-store.ts'

test('values come back as they were, bytes and awkward keys included, apart by space', async () => {
  await using temporary = await createTemporaryStore()
  const { kv } = await temporary.open()
  const value = { bytes: new Uint8Array([0, 127, 255]), list: [1, null, 'x', { $bytes: 'text', $object: { a: 1 } }], __proto__x: true }
  await kv.set('one', 'key', value)
  await kv.set('two', 'key', null)
  expect(await kv.get('one', 'key')).toEqual(value)
  expect(await kv.get('two', 'key')).toBeNull()
  expect(await kv.get('one', 'other')).toBeUndefined()
  await kv.set('one', 'key', 'again')
  await kv.set('one', 'a', 1)
  expect(await kv.keys('one')).toEqual(['a', 'key'])
  await kv.delete('one', 'key')
  expect(await kv.get('one', 'key')).toBeUndefined()
  expect(await kv.keys('two')).toEqual(['key'])
})
