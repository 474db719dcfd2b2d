import { expect, test } from 'vitest'
import { findHostRow } from './kind-rows.ts'

test('a kind that this host does not know has no row', () => {
  expect(findHostRow('holograms')).toBeUndefined()
  expect(findHostRow('toolset')?.name('dice')).toContain('dice')
})

test.each([
  ['platform', 'swap'],
  ['provider', 'reopen'],
  ['toolset', 'reopen'],
  ['commands', 'reopen'],
  ['skills', 'read'],
])('when a %s changes, it is taken by %s', (kind, how) => {
  expect(findHostRow(kind)?.reload).toBe(how)
})
