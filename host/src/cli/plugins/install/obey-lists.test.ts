import { expect, test } from 'vitest'
import { parseSpec } from '#kernel/package/parse-spec.ts'
import { obeyLists, pinSpec } from './obey-lists.ts'

const lists = [
  {
    ...{ name: 'ACME', issued: '2026-11-29T08:00:00Z' },
    entries: [
      { package: 'agent-plugin-dice', range: '^1.0.0' },
      { package: '@team/mail', range: '2.x' },
    ],
    blocked: [{ package: 'agent-plugin-evil', reason: 'it steals' }],
    withdrawn: [{ package: 'agent-plugin-dice', versions: ['1.1.0'], reason: 'it always rolls 4' }],
  },
]

test.each([
  ['agent-plugin-dice', 'agent-plugin-dice@^1.0.0'],
  ['@team/mail', '@team/mail@2.x'],
  ['agent-plugin-dice@1.2.0', 'agent-plugin-dice@1.2.0'],
  ['agent-plugin-other', 'agent-plugin-other'],
  ['file:dice.tgz', 'file:/dice.tgz'],
])('%s is fetched as %s', (word, text) => {
  const spec = parseSpec(word, '/')
  if (spec.type === 'link') throw new Error('no link')
  expect(pinSpec(spec, lists).text).toBe(text)
})

test.each([
  ['agent-plugin-evil', '1.0.0', 'blocked'],
  ['agent-plugin-dice', '1.1.0', 'withdrawn'],
  ['agent-plugin-dice', '2.0.0', 'not-pinned'],
])('%s %s is refused: %s', (name, version, reason) => {
  expect(() => obeyLists(lists, { name, version })).toThrow(expect.objectContaining({ params: expect.objectContaining({ reason }) }))
})

test('what the lists allow or do not know is let through', () => {
  for (const name of ['agent-plugin-dice', 'agent-plugin-other']) expect(() => obeyLists(lists, { name, version: '1.2.0' })).not.toThrow()
})
