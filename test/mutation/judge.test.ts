import { expect, test } from 'vitest'
import { isInSample } from './choose.ts'
import { judge, type Tried } from './judge.ts'

const change = (original: string, noticed: boolean): Tried => ({ where: 'a.ts f', original, replacement: 'true', line: 1, noticed })
const survivor = (original: string) => ({ where: 'a.ts f', original, replacement: 'true', reason: 'equal' })

test('a change that no test notices counts unless it is listed', () => {
  const all = [change('a', true), change('b', false), change('c', false), change('d', true)]
  expect(judge(all, [])).toMatchObject({ tried: 4, noticed: 2, listed: 0, share: 0.5 })
  const verdict = judge(all, [survivor('c')])
  expect(verdict).toMatchObject({ noticed: 2, listed: 1, share: 2 / 3 })
  expect(verdict.unlisted.map(({ original }) => original)).toEqual(['b'])
})

test('a listed change that is noticed now is named, one that was not tried is not', () => {
  expect(judge([change('a', true)], [survivor('a'), survivor('z')]).removable).toEqual([survivor('a')])
  expect(judge([change('a', true), change('a', false)], [survivor('a')]).removable).toEqual([])
})

test('what only took too long is counted beside', () => {
  const all = [
    { ...change('a', true), late: true },
    { ...change('b', true), late: false },
    { ...change('c', false), late: false },
  ]
  expect(judge(all, [])).toMatchObject({ noticed: 2, late: 1 })
})

test('a larger sample contains the smaller one, and no change makes nothing to answer for', () => {
  const keys = Array.from({ length: 1000 }, (_, index) => `key ${index}`)
  const small = keys.filter((key) => isInSample(key, 0.1))
  expect(small.length).toBeGreaterThan(50)
  expect(small.every((key) => isInSample(key, 0.3))).toBe(true)
  expect(keys.every((key) => isInSample(key, 1))).toBe(true)
  expect(judge([], []).share).toBe(1)
})
