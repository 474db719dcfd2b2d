import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manifestSchema } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { kinds } from '../kinds.ts'
import { fileIn, partsWithCode, readManifest } from './manifest-file.ts'

let folder: string
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'agent-manifest-')), 'dice')
  mkdirSync(join(folder, 'dist'), { recursive: true })
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

const tool = { name: 'roll', description: 'Rolls.', parameters: { type: 'object' }, effect: 'read' }
const manifest = {
  ...{ manifestVersion: 1, id: 'toolset-dice', name: 'Dice', description: 'Dice', version: '1.0.0', license: 'MIT', api: { toolset: 1 } },
  contributes: { toolsets: [{ id: 'dice', label: 'Dice', entry: 'dist/toolset.js', tools: [tool] }] },
}
const write = (content: unknown): void =>
  writeFileSync(join(folder, 'agent.plugin.json'), typeof content === 'string' ? content : JSON.stringify(content))

test('a manifest is read with its defaults, and what it says too much is a warning', async () => {
  write({ ...manifest, shape: 'round' })
  const read = await readManifest({ folder, source: 'local' })
  expect(read).toMatchObject({
    ok: true,
    plugin: { root: folder, source: 'local', warnings: ['the manifest has an unknown field "shape"'], manifest: { env: [], requires: [] } },
  })
})

test.each<[string, unknown, string, RegExp]>([
  ['no JSON', '{', 'dice', /it is not valid JSON/],
  ['null', 'null', 'dice', /object/],
  ['a text', '"x"', 'dice', /object/],
  ['one without a name', { ...manifest, name: undefined }, 'toolset-dice', /name/],
  ['one with an id that is none', { ...manifest, id: '../x' }, 'dice', /id/],
  ['one whose id is no text', { ...manifest, id: 7 }, 'dice', /id/],
])('%s is a reason, under the best name that there is', async (_name, content, id, text) => {
  write(content)
  expect(await readManifest({ folder, source: 'local' })).toMatchObject({
    ...{ ok: false, id, root: folder, source: 'local' },
    reason: { code: 'manifest-invalid', text: expect.stringMatching(text) },
  })
})

test('a folder without one says so', async () => {
  const read = await readManifest({ folder, source: 'local' })
  expect(read).toMatchObject({ ok: false, id: 'dice', reason: { text: expect.stringContaining('the file is missing') } })
})

test.each(['agent.plugin.json', 'dist/toolset.js'])(
  '%s that leads out of its folder is refused, unless it came with agent',
  async (path) => {
    write(manifest)
    const elsewhere = join(folder, '..', 'elsewhere')
    writeFileSync(elsewhere, JSON.stringify(manifest))
    rmSync(join(folder, path), { force: true })
    symlinkSync(elsewhere, join(folder, path))
    expect(await readManifest({ folder, source: 'installed' })).toMatchObject({
      ...{ ok: false, id: 'toolset-dice', source: 'installed' },
      reason: { code: 'path-outside', text: expect.stringContaining(path) },
    })
    expect(await readManifest({ folder, source: 'bundled' })).toMatchObject({ ok: true })
  },
)

test('a folder on the way to a file may be a link within the plugin, and not one out of it', async () => {
  write(manifest)
  renameSync(join(folder, 'dist'), join(folder, 'built'))
  symlinkSync('built', join(folder, 'dist'))
  expect(await readManifest({ folder, source: 'local' })).toMatchObject({ ok: true })
  renameSync(join(folder, 'built'), join(folder, '..', 'outside'))
  rmSync(join(folder, 'dist'))
  symlinkSync(join('..', 'outside'), join(folder, 'dist'))
  writeFileSync(join(folder, '..', 'outside', 'toolset.js'), '')
  expect(await readManifest({ folder, source: 'local' })).toMatchObject({ ok: false, reason: { code: 'path-outside' } })
})

test('a file that is not there leads nowhere; a folder in a circle of links is a reason', async () => {
  write(manifest)
  expect(await readManifest({ folder, source: 'local' })).toMatchObject({ ok: true })
  symlinkSync('toolset.js', join(folder, 'dist', 'toolset.js'))
  expect(await readManifest({ folder, source: 'local' })).toMatchObject({ ok: false, reason: { text: expect.stringContaining('ELOOP') } })
})

test('the file of a contribution is its entry, or the file that its kind names', () => {
  expect(fileIn(kinds.toolset, { entry: 'dist/x.js' })).toBe('dist/x.js')
  expect(fileIn(kinds.toolset, { entry: 7 })).toBeUndefined()
  expect(fileIn(undefined, { entry: 'dist/x.js' })).toBe('dist/x.js')
  expect(fileIn(kinds.skills, { path: 'skills/roses' })).toBe('skills/roses/SKILL.md')
  expect(fileIn(kinds.skills, { path: 7 })).toBeUndefined()
  expect(fileIn({ ...kinds.skills, file: undefined } as never, { path: 'skills/roses' })).toBeUndefined()
})

test('the parts with code are those with an entry, each with the method that opens it', () => {
  const data = { ...manifest, contributes: { ...manifest.contributes, providers: [{ id: 'p', label: 'P', auth: 'none' }] } }
  const parsed = manifestSchema.safeParse(data)
  const parts = partsWithCode(parsed.success ? parsed.data : (data as never))
  expect(parts.map(({ entry, method }) => [entry, method])).toEqual([['dist/toolset.js', 'open']])
})
