import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { contractKinds } from '#kernel/kinds.ts'
import { describeContracts } from './contracts.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const pages = new Map(describeContracts(root).map(({ file, text }) => [file.replace('plugin-sdk/docs/reference/', ''), text]))
const pageOf = (name: string): string => pages.get(`${name}.md`) ?? ''
const headingsOf = (name: string): readonly string[] => [...pageOf(name).matchAll(/^## (\w+)$/gm)].map(([, heading = '']) => heading)

const sourceOf = (kind: string): string => readFileSync(`${root}/plugin-sdk/src/kinds/${kind}.ts`, 'utf8')
/** What `kinds.ts` exports of each kind. */
const exported = [...sourceOf('kinds').matchAll(/^export type \{([^}]*)\} from '\.\/([\w-]+)\.ts'$/gm)].map(
  ([, names = '', kind = '']) => ({ kind, names: names.split(',').map((name) => name.trim()) }),
)

test('each kind has a page with every public type of it, and its manifest', () => {
  expect([...pages.keys()].sort()).toEqual([...contractKinds, 'shared'].map((name) => `${name}.md`).sort())
  expect(exported.map(({ kind }) => kind).sort()).toEqual(contractKinds.toSorted())
  for (const { kind, names } of exported) {
    // What is made of a schema stands there as the schema.
    const types = names.filter((name) => !sourceOf(kind).includes(`type ${name} = z.output<`))
    expect(types.length === 0, kind).toBe(kind === 'skills')
    // Its home may be the contract, and other kinds may name it too.
    expect([...headingsOf(kind), ...headingsOf('shared')], kind).toEqual(expect.arrayContaining(types))
    expect(pageOf(kind), kind).toMatch(/## In the manifest\n\n```ts\n(?:.*\n)*?const \w+ = z\./)
  }
})

test('members come with what is said about them, and a type stands on one page', () => {
  expect(pageOf('platform')).toContain('  /** Who the bot is. Messaging doors. */\n  identity?(call: Call): Promise<Identity>\n')
  const all = [...pages.keys()].flatMap((file) => headingsOf(file.replace('.md', '')))
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([])
  expect(headingsOf('shared')).toEqual(expect.arrayContaining(['Call', 'Context', 'Wire']))
})
