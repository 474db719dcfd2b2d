import { expect, test } from 'vitest'
import type { Row } from './figure.ts'
import { measureAgain } from './measure-again.ts'

/** Measures figures, each right or wrong in turn, and says in which order. */
async function measuring(verdicts: Readonly<Record<string, readonly boolean[]>>) {
  const order: string[] = []
  const measure = async (figure: string): Promise<readonly Row[]> => {
    const ok = verdicts[figure]?.[order.filter((name) => name === figure).length] ?? false
    order.push(figure)
    return [{ figure, budget: '≤ 1', floor: '1', value: ok ? '1' : '2', ok }]
  }
  const rows = await measureAgain(Object.keys(verdicts), measure, (found) => found.some(({ ok }) => !ok))
  return { order, rows }
}

test('what is met is measured once', async () => {
  const { rows, order } = await measuring({ a: [true, true] })
  expect(rows).toEqual([expect.objectContaining({ ok: true })])
  expect(rows[0]?.note).toBeUndefined()
  expect(order).toEqual(['a'])
})

test('what is missed is measured again after all others, and says so; the table keeps its order', async () => {
  const { rows, order } = await measuring({ a: [false, true], b: [true], c: [false, false, true] })
  expect(order).toEqual(['a', 'b', 'c', 'a', 'c', 'c'])
  expect(rows.map(({ figure, ok, note }) => [figure, ok, note])).toEqual([
    ['a', true, 'measured 2 times'],
    ['b', true, undefined],
    ['c', true, 'measured 3 times'],
  ])
})

test('what is missed three times is missed', async () => {
  const { rows, order } = await measuring({ a: [false, false, false, true] })
  expect(rows).toEqual([expect.objectContaining({ ok: false, note: 'measured 3 times' })])
  expect(order).toHaveLength(3)
})
