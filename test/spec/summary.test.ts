import { expect, test } from 'vitest'
import { proves } from './proves.ts'
import { formatSummary, summarize } from './summary.ts'

const rows = {
  'a.one': { text: 'One.', section: 'A', since: 1, hash: '000000000000' },
  'a.two': { text: 'Two.', section: 'A', since: 1, hash: '000000000001' },
  'b.one': { text: 'Later.', section: 'B', since: 2, hash: '000000000002' },
}

test('an id is proved by a passed test unless another one for it failed', () => {
  const proofs = [
    { ids: ['a.one', 'a.two'], passed: true },
    { ids: ['a.two'], passed: false },
  ]
  expect(summarize(rows, proofs, 1)).toEqual([
    { section: 'A', proved: ['a.one'], open: ['a.two'], due: ['a.two'] },
    { section: 'B', proved: [], open: ['b.one'], due: [] },
  ])
})

test('the report counts each section and says when it is partial', () => {
  const full = formatSummary(summarize(rows, [{ ids: ['a.one'], passed: true }], 1), { partial: false })
  expect(full.at(-2)).toMatch(/all +1 +2 +1$/)
  expect(full.at(-1)).toContain('a.two')
  expect(formatSummary(summarize(rows, [], 1), { partial: true })[0]).toContain('partial')
})

test('a test that proves an unknown id is refused when it is collected', () => {
  // @ts-expect-error: no such requirement
  expect(() => proves('no.such-id', 'typo', () => undefined)).toThrow('no.such-id')
})
