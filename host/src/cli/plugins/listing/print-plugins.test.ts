import { expect, test } from 'vitest'
import type { Listed } from '#kernel/catalog/catalog.ts'
import { printList } from './print-plugins.ts'

const plugin: Listed = {
  ...{ id: 'toolset-dice', name: 'Dice', version: '1.0.0', kinds: ['toolset'], source: 'link', root: '/work/dice', state: 'ready' },
  ...{ isolation: undefined, reason: undefined, contributions: [], warnings: [], shadows: undefined, installed: undefined },
}

test.each([
  ['bundled', /development link, in place of the bundled one$/],
  ['installed', /development link, in place of the installed one$/],
  [undefined, /development link$/],
] as const)('a development link is listed with what it stands in for: %s', (shadows, words) => {
  const lines: string[] = []
  printList({ out: (text) => void lines.push(text), json: () => undefined, colour: false }, [{ ...plugin, shadows }])
  expect(lines.join('\n').trimEnd()).toMatch(words)
})
