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

test('every public name says in a sentence what it is', () => {
  const bare = report.split(/^## /m).flatMap((section) => {
    const [exported = ''] = section.split('\n### ')
    const lines = exported.split('\n')
    return lines.flatMap((line, index) => {
      const [, name] = /^export (?:declare )?(?:type|interface|const|function|class) (\w+)/.exec(line) ?? []
      return name !== undefined && !/^\/\*\* .+ \*\/$/.test(lines[index - 1] ?? '') ? [name] : []
    })
  })
  // A constant and the type of the same name, and the forms of one function, need one sentence.
  const told = new Set([...report.matchAll(/^\/\*\* .+ \*\/\nexport (?:declare )?\w+ (\w+)/gm)].map(([, name]) => name))
  expect(bare.filter((name) => !told.has(name))).toEqual([])
})

test('each door leads to its declarations', () => {
  const { exports } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'))
  for (const conditions of Object.values<Record<string, string>>(exports)) {
    const [source = '', types, bundle] = Object.values(conditions)
    expect(types).toBe(source.replace('./src/', './dist/types/').replace(/\.ts$/, '.d.ts'))
    expect(Object.keys(conditions)).toEqual(['agent-source', 'types', 'default'])
    expect(bundle).toMatch(/^\.\/dist\/\w+\.js$/)
  }
})
