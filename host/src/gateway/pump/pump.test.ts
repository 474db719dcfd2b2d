import { expect, test } from 'vitest'
import { createClaimer } from './pump.ts'

function createSource(count: number): { claim: () => Promise<number | null>; asked: () => number } {
  let left = count
  let asked = 0
  return {
    claim: async () => {
      asked++
      return left > 0 ? left-- : null
    },
    asked: () => asked,
  }
}

test('takes more at once as long as there is more, and never more than there is room for', async () => {
  const source = createSource(100)
  const claimSome = createClaimer(source.claim)
  const sizes: number[] = []
  for (let round = 0; round < 5; round++) sizes.push((await claimSome(6)).length)
  expect(sizes).toEqual([1, 2, 4, 6, 6])
})

test('asks once where there is nothing', async () => {
  const source = createSource(3)
  const claimSome = createClaimer(source.claim)
  expect(await claimSome(64)).toEqual([3])
  expect(await claimSome(64)).toEqual([2, 1])
  expect(await claimSome(64)).toEqual([])
  const before = source.asked()
  expect(await claimSome(64)).toEqual([])
  expect(source.asked()).toBe(before + 1)
})

test('a failure beside claims does not lose them, and is told when there is nothing else', async () => {
  let call = 0
  const claimSome = createClaimer(async () => {
    call++
    if (call >= 3) throw new Error('the disk is full')
    return call
  })
  expect(await claimSome(8)).toEqual([1])
  expect(await claimSome(8)).toEqual([2])
  await expect(claimSome(8)).rejects.toThrow('the disk is full')
})
