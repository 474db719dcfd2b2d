import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createComplete, type Named } from './complete.ts'

const folder = mkdtempSync(join(tmpdir(), 'complete-'))
mkdirSync(join(folder, 'src'))
for (const file of ['src/main.ts', 'src/make.ts', 'readme.md', '.hidden']) writeFileSync(join(folder, file), '')
afterAll(() => rmSync(folder, { recursive: true }))

const names: { readonly [word: string]: readonly Named[] | undefined } = {
  session: ['My talk', { name: 'ses_1', note: 'hello there' }],
  platform: ['irc', 'slack'],
}
const complete = createComplete({
  commands: () => [
    { name: 'resume', summary: 'About resume', aliases: [], args: '[session]' },
    { name: 'reasoning', summary: 'About reasoning', aliases: [], args: '[none|low|high]' },
    { name: 'platform', summary: 'About platform', aliases: ['p'], args: '[list|pause] [platform]' },
    { name: 'usage', summary: 'About usage', aliases: [], args: '' },
  ],
  names: async (word) => names[word] ?? [],
  skills: async () => ['review', 'release-notes'],
  slashSkills: () => [
    { name: 'review', summary: 'About review' },
    { name: 'release-notes', summary: 'About notes' },
  ],
  folder,
})

test('commands are offered with what they do', async () => {
  expect(await complete('/res')).toEqual({ from: 0, items: ['/resume '], notes: ['About resume'] })
  expect(await complete('/re')).toMatchObject({ items: ['/resume ', '/reasoning ', '/review ', '/release-notes '] })
  expect(await complete('/p')).toBeUndefined()
})

test.each([
  ['/x', 0, []],
  ['/resume my t', 8, ['My talk ']],
  ['/reasoning ', 11, ['none ', 'low ', 'high ']],
  ['/platform pa', 10, ['pause ']],
  ['/p pause s', 9, ['slack ']],
  ['look at @src/ma', 8, ['@src/main.ts ', '@src/make.ts ']],
  ['look at s', 8, ['src/']],
  ['use re', 4, ['review ', 'release-notes ', 'readme.md ']],
  ['cat ./.h', 4, ['./.hidden ']],
  ['cat gone/x', 4, []],
])('%j is completed from %i by %j', async (before, from, items) => {
  expect(await complete(before)).toEqual({ from, items })
})

test('behind a skill the next one is offered, behind a command none', async () => {
  expect(await complete('/review /re')).toEqual({ from: 8, items: ['/review ', '/release-notes '], notes: ['About review', 'About notes'] })
  expect(await complete('/review /review /rel')).toMatchObject({ from: 16, items: ['/release-notes '] })
  expect(await complete('/usage /re')).toEqual({ from: 7, items: [] })
})

test('what is known of a session stands beside its name', async () => {
  expect(await complete('/resume s')).toEqual({ from: 8, items: ['ses_1 '], notes: ['hello there'] })
  expect(await complete('/resume ')).toMatchObject({ items: ['My talk ', 'ses_1 '], notes: ['', 'hello there'] })
})

test('nothing is offered for nothing', async () => {
  expect(await complete('')).toBeUndefined()
  expect(await complete('look ')).toBeUndefined()
})
