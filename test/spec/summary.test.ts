import { expect, test } from 'vitest'
import { proves } from './proves.ts'
import { formatSkipped, formatSummary, type Proof, summarize } from './summary.ts'

const rows = {
  'a.one': { text: 'One.', section: 'A', since: 1, hash: '000000000000' },
  'a.two': { text: 'Two.', section: 'A', since: 1, hash: '000000000001' },
  'b.one': { text: 'Later.', section: 'B', since: 2, hash: '000000000002' },
}

test('an id is proved by a passed test unless another one for it failed', () => {
  const proofs: readonly Proof[] = [
    { ids: ['a.one', 'a.two'], state: 'passed' },
    { ids: ['a.two'], state: 'failed' },
  ]
  expect(summarize(rows, proofs, 1)).toEqual([
    { section: 'A', proved: ['a.one'], open: ['a.two'], due: [{ id: 'a.two', why: 'a test for it failed' }] },
    { section: 'B', proved: [], open: ['b.one'], due: [] },
  ])
})

test('the report counts each section and says of each that is due why nothing proves it', () => {
  const proofs: readonly Proof[] = [
    { ids: ['a.one'], state: 'passed' },
    { ids: ['a.two'], state: 'skipped', missing: 'ngircd is missing: apt-get install ngircd' },
  ]
  const lines = formatSummary(summarize(rows, proofs, 2))
  expect(lines.at(-3)).toMatch(/all +1 +2 +2$/)
  expect(lines.at(-2)).toBe('  due and open: a.two (skipped, ngircd is missing: apt-get install ngircd)')
  expect(lines.at(-1)).toBe('  due and open: b.one (no test proves it)')
})

test('what skipped tests did without is said once for all of them', () => {
  expect(formatSkipped(['tmux is missing', undefined, 'tmux is missing'])).toEqual([
    'Skipped 2 × tmux is missing',
    'Skipped 1 × without a reason',
  ])
})

test('a test that proves an unknown id is refused when it is collected', () => {
  // @ts-expect-error: no such requirement
  expect(() => proves('no.such-id', 'typo', () => undefined)).toThrow('no.such-id')
})
