import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contractKinds } from './kinds/kinds.ts'

const report = readFileSync(join(import.meta.dirname, '..', 'api.txt'), 'utf8')
const names = [...report.matchAll(/^export (?:declare )?(?:type|interface|const|function|class) (\w+)/gm)].map(([, name]) => name)

test('the public surface stays small enough to be learnt', () => {
  // What an author of one kind has to know, and what each kind brings (D-340).
  expect(new Set(names).size).toBeLessThanOrEqual(185 + 11 * contractKinds.length)
})

test('the package has its five doors at most', () => {
  const { exports } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'))
  expect(['.', './errors', './http', './testing', './oauth']).toEqual(expect.arrayContaining(Object.keys(exports)))
})
