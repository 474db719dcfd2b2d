import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contractKinds } from '../kinds.ts'
import { type Deprecations, describeDeprecation, readDeprecations } from './deprecations.ts'

const sdk = join(import.meta.dirname, '..', '..', '..')
const rows = await readDeprecations(sdk)

/** What the tags of all sources say. */
function readTags(sources: readonly string[]): readonly string[] {
  return sources
    .flatMap((text) => [...text.matchAll(/^\s*(?:\/\*)?\*+ (?:.* )?@deprecated (.+?)\.?(?: \*\/)?$/gm)].map(([, tag = '']) => tag))
    .sort()
}
const wantedTags = ({ names }: Pick<Deprecations, 'names'>): readonly string[] => names.map(describeDeprecation).sort()

test('a tag and its row say the same', () => {
  const row = { name: 'open', since: '0.2.0', until: '1.0.0', use: '`openNew`' }
  const tag = '@deprecated since 0.2.0, served until 1.0.0: use `openNew`.'
  const sources = [`/** Opens. ${tag} */\n`, `/**\n * Opens.\n * ${tag}\n */\n`, `/** ${tag} */\n`, '// @deprecated\n']
  for (const [at, wanted] of [1, 1, 1, 0].entries()) {
    expect(readTags(sources.slice(at, at + 1))).toEqual(wantedTags({ names: [row].slice(0, wanted) }))
  }
})

test('every name that the sources call deprecated has a row in the table, and every row has its tag', () => {
  const files = readdirSync(join(sdk, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file))
  expect(files.length).toBeGreaterThan(100)
  expect(readTags(files.map((file) => readFileSync(join(sdk, 'src', file), 'utf8')))).toEqual(wantedTags(rows))
})

test('rows about contracts name kinds', () => {
  const kinds: readonly string[] = contractKinds
  expect(rows.contracts.filter(({ contract }) => !kinds.includes(contract))).toEqual([])
})
