import { expect, test } from 'vitest'
import { findHostRow, hostRow } from './kind-rows.ts'

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

test('a platform is called by its id, any other contribution by its kind; parts are looked for by their names', () => {
  expect(hostRow('platform').name('irc')).toBe('irc')
  expect(hostRow('toolset').parts?.of({ tools: [{ name: 'roll' }, { name: 'toss' }] } as never)).toEqual(['roll', 'toss'])
  const commands = [
    { name: 'roll', aliases: ['dice'] },
    { name: 'toss', aliases: [] },
  ]
  expect(hostRow('commands').parts?.of({ commands } as never)).toEqual(['roll', 'dice', 'toss'])
  expect(hostRow('platform').parts).toBeUndefined()
})
