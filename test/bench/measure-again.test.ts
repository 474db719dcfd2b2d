import { expect, test } from 'vitest'
import type { Row } from './figure.ts'
import { measureAgain } from './measure-again.ts'

/** Measures a figure that is right or wrong in turn. */
function measuring(...verdicts: readonly boolean[]) {
  const left = [...verdicts]
  const row = (ok: boolean): Row => ({ figure: 'made-up', budget: '≤ 1', floor: '1', value: ok ? '1' : '2', ok })
  const rows = measureAgain(
    async () => [row(left.shift() ?? false)],
    (found) => found.some(({ ok }) => !ok),
  )
  return { rows, left }
}

test('what is met is measured once', async () => {
  const { rows, left } = measuring(true, true)
  expect(await rows).toEqual([expect.objectContaining({ ok: true })])
  expect(left).toHaveLength(1)
  expect((await rows)[0]?.note).toBeUndefined()
})

test('what is missed is measured again, and says so', async () => {
  expect(await measuring(false, true).rows).toEqual([expect.objectContaining({ ok: true, note: 'measured 2 times' })])
})

test('what is missed three times is missed', async () => {
  const { rows, left } = measuring(false, false, false, true)
  expect(await rows).toEqual([expect.objectContaining({ ok: false, note: 'measured 3 times' })])
  expect(left).toHaveLength(1)
})
