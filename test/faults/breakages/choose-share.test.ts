import { expect, test } from 'vitest'
import { chooseShare } from './choose-share.ts'

const list = [...Array(13).keys()]

test('a share keeps its order, a seed chooses it, and over some seeds each has its turn', () => {
  const halves = list.map((seed) => chooseShare(list, 0.5, seed))
  for (const half of halves) {
    expect(half).toHaveLength(7)
    expect(half).toEqual([...half].sort((a, b) => a - b))
  }
  expect(chooseShare(list, 0.5, 3)).toEqual(halves[3])
  expect(new Set(halves.flat()).size).toBe(13)
})

test('the whole is all, and nothing is not tried', () => {
  expect(chooseShare(list, 1, 5)).toEqual(list)
  expect(chooseShare(list, 0.01, 5)).toHaveLength(1)
})
