import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { figures } from './figures.ts'

test('the page names every figure, in the order of the table', () => {
  const page = readFileSync(new URL('README.md', import.meta.url), 'utf8')
  expect([...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)).toEqual(figures.map(({ name }) => name))
})
