// @module-tag process
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { contractKinds } from '../src/kinds/kinds.ts'
import { manifestSchema } from '../src/kinds/manifest.ts'
import { buildPlugin, checkPlugin } from '../src/testing/index.ts'
import { pages, readFiles, writeGuide } from './write-guide.ts'

const docs = import.meta.dirname
const repository = dirname(dirname(docs))
const folder = mkdtempSync(join(tmpdir(), 'guides-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const guides = pages.filter((page) => readFiles(page).some(([name]) => name === 'src/plugin.ts' || name === 'agent.plugin.json'))

const folderOf = (page: string): string => join(folder, page.replace('.md', ''))

test('there is a guide for each kind', () => {
  expect(guides.map((page) => page.replace('.md', ''))).toEqual(contractKinds.toSorted())
})

test.each(guides)('an author who follows %s gets a plugin that keeps every rule that can be tried', async (page) => {
  const dir = folderOf(page)
  writeGuide(page, dir)
  await buildPlugin({ dir })
  const report = await checkPlugin({ dir })
  expect(report.rules.filter(({ status }) => status === 'failed')).toEqual([])
  expect(report).toMatchObject({ passed: true, notes: [] })
})

const manifests = pages.flatMap((page) =>
  [...readFileSync(join(docs, page), 'utf8').matchAll(/^```json\n(\{\n {2}"manifestVersion".*?)^```$/gms)].map(([, text = '']) => ({
    page,
    text,
  })),
)

test.each(manifests)('the plugin without code of $page keeps every rule', async ({ page, text }) => {
  const dir = join(folder, `data-${page}`)
  mkdirSync(dir)
  writeFileSync(join(dir, 'agent.plugin.json'), text)
  const report = await checkPlugin({ dir })
  expect(report.rules.filter(({ status }) => status !== 'passed')).toEqual([])
})

test('the code of the guides has the types that it says', () => {
  for (const page of guides) writeGuide(page, folderOf(page))
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(repository, 'tsconfig.json'), include: ['*/src'], exclude: [] }),
  )
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
  expect(stdout).toBe('')
})

test('code that a page about an example shows stands in the example, which is tried with the others', () => {
  const shown = readFiles('socket-platform.md')
  expect(shown.map(([name]) => name)).toEqual(expect.arrayContaining(['src/wire.ts', 'src/connection.ts', 'src/outbound.ts']))
  const textOf = (name: string): string => readFileSync(join(docs, '..', 'examples', 'socket', name), 'utf8')
  expect(shown.filter(([name, code]) => !textOf(name).includes(code))).toEqual([])
})

test('the limits of a platform are what its page says where a definition says nothing', () => {
  const definition = { id: 'chat', label: 'Chat', entry: 'dist/chat.js', door: 'messaging', reach: 'people', capabilities: {}, limits: {} }
  const about = {
    manifestVersion: 1,
    id: 'platform-chat',
    name: 'Chat',
    description: 'Chats.',
    version: '1.0.0',
    license: 'MIT',
    api: { platform: 1 },
  }
  const { limits } = manifestSchema.parse({ ...about, contributes: { platforms: [definition] } }).contributes.platforms[0] ?? { limits: {} }
  const text = readFileSync(join(docs, 'platform-capabilities.md'), 'utf8')
  const rows = [...text.slice(text.indexOf('## Limits')).matchAll(/^\| (`.*`) \| .* \| (.*) \|$/gm)]
  const said = rows.flatMap(([, names = '', values = '']) => {
    const defaults = values.replaceAll(/(\d) characters/g, '$1, characters').split(', ')
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = ''], index) => [name, (defaults[index] ?? defaults[0] ?? '').replace(/:.*/, '')])
  })
  const held = Object.entries(limits).map(([name, value]) => [name, String(value)])
  expect(said.filter(([, value]) => value !== 'none').toSorted()).toEqual(held.toSorted())
})

test('README.md leads to every page', () => {
  const text = readFileSync(join(docs, 'README.md'), 'utf8')
  expect(pages.filter((page) => page !== 'README.md' && !text.includes(`](${page})`))).toEqual([])
})
