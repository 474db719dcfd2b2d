import { expect, test } from 'vitest'
import { flatten } from './flatten.ts'

/** Batches that come one after the other; `left` tells whether their maker was told to stop. */
function open(batches: readonly (readonly number[])[], failure?: Error) {
  const state = { left: false }
  async function* make(): AsyncGenerator<readonly number[], void> {
    try {
      for (const batch of batches) {
        await new Promise((resolve) => setImmediate(resolve))
        yield batch
      }
      if (failure) throw failure
    } finally {
      state.left = true
    }
  }
  return { state, items: flatten(make)[Symbol.asyncIterator]() }
}

test('items come in order, and empty batches are passed over', async () => {
  const { items } = open([[], [1, 2], [], [3]])
  const seen: unknown[] = []
  for (let next = await items.next(); !next.done; next = await items.next()) seen.push(next.value)
  expect(seen).toEqual([1, 2, 3])
  expect(await items.next()).toEqual({ done: true, value: undefined })
})

test('several that are asked for at once come each, in order, and then the end', async () => {
  const { items } = open([[1, 2, 3], [4], [5]])
  const asked = await Promise.all(Array.from({ length: 7 }, () => items.next()))
  expect(asked.map(({ value, done }) => value ?? done)).toEqual([1, 2, 3, 4, 5, true, true])
})

test('what is broken is told after what came before it', async () => {
  const { items } = open([[1]], new Error('broken'))
  expect((await items.next()).value).toBe(1)
  await expect(items.next()).rejects.toThrow('broken')
})

test('a reader that leaves is told to the maker, and gets nothing any more', async () => {
  const { state, items } = open([[1, 2], [3]])
  await items.next()
  expect([await items.return?.(), state.left]).toEqual([{ done: true, value: undefined }, true])
  expect(await items.next()).toEqual({ done: true, value: undefined })
})
