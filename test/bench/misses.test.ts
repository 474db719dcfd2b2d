import { expect, test } from 'vitest'
import type { Row } from './figure.ts'
import { judgeColdStart, slownessOf } from './figure.ts'
import { judgeRows } from './misses.ts'

const row = (budget: string, value: string): Row => ({ figure: 'start', budget, floor: '', value, ok: false })
const listed = (value: string) => [{ figure: 'start', value, reason: 'known' }]
const isExcused = (missed: Row, value: string): boolean => judgeRows([missed], listed(value)).unexplained.length === 0

test.each([
  ['≤ 100 ms', '209 ms', '190 ms', true],
  ['≤ 100 ms', '210 ms', '190 ms', false],
  ['≥ 40 %', '30 %', '33 %', true],
  ['≥ 40 %', '29 %', '33 %', false],
  ['', 'not measured', '33 %', false],
])('a budget of %s that is missed with %s, listed with %s: excused %s', (budget, value, miss, excused) => {
  expect(isExcused(row(budget, value), miss)).toBe(excused)
})

test('a miss without a line is not excused, and a line that is not needed is named', () => {
  const met = { ...row('≤ 1 ms', '1 ms'), ok: true }
  expect(judgeRows([row('≤ 1 ms', '2 ms')], []).unexplained).toHaveLength(1)
  expect(judgeRows([met], listed('2 ms')).removable).toEqual(listed('2 ms'))
})

test('a slow machine gets more time, a machine that is too slow no more than three times as much', () => {
  expect([11, 22, 44, 66, 660].map(slownessOf)).toEqual([1, 1, 2, 3, 3])
  expect(judgeColdStart('start', { valueMs: 301, nodeMs: 660, budgetMs: 100 }).ok).toBe(false)
  expect(judgeColdStart('start', { valueMs: 299, nodeMs: 660, budgetMs: 100 }).ok).toBe(true)
})
