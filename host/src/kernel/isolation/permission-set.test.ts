import { type Manifest, manifestSchema } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { Installed } from '../installed/manifest-file.ts'
import type { PluginEntry } from './permission-set.ts'
import { isolationOf, permissionSetOf, requiresSandbox } from './permission-set.ts'

const plugin = (more: object = {}, source: Installed['source'] = 'local'): Installed => {
  const basics = { manifestVersion: 1, id: 'mine', name: 'Mine', description: 'made up', version: '1.0.0', license: 'MIT', api: {} }
  return { manifest: manifestSchema.parse({ ...basics, ...more }) as Manifest, root: '/r', source, warnings: [] }
}

test.each<[Installed['source'], object, PluginEntry | undefined, string]>([
  ['bundled', {}, undefined, 'inproc'],
  ['bundled', {}, { isolation: 'process' }, 'process'],
  ['bundled', { isolation: 'process' }, undefined, 'process'],
  ['local', {}, undefined, 'bwrap'],
  ['link', {}, undefined, 'bwrap'],
  ['installed', {}, { sandbox: 'off' }, 'process'],
  ['bundled', {}, { isolation: 'process', sandbox: 'bwrap' }, 'bwrap'],
  ['installed', {}, { isolation: 'inproc' }, 'inproc'],
  ['installed', { isolation: 'process' }, { isolation: 'inproc' }, 'bwrap'],
  ['local', {}, { sandbox: 'bwrap' }, 'bwrap'],
  ['local', {}, { sandbox: 'bwrap', isolation: 'inproc' }, 'inproc'],
])('a %s plugin with %j and the settings %j runs %s', (source, manifest, entry, isolation) => {
  expect(isolationOf(plugin(manifest, source), { entries: { mine: entry } })).toBe(isolation)
})

test.each<['auto' | 'required' | 'off', PluginEntry['sandbox'], string, boolean]>([
  ['auto', undefined, 'bwrap', false],
  ['auto', 'bwrap', 'bwrap', true],
  ['required', undefined, 'bwrap', true],
  ['required', 'off', 'process', false],
  ['off', undefined, 'process', false],
  ['off', 'bwrap', 'bwrap', true],
])('plugins.sandbox %s and %s of the plugin: %s, required %j', (sandbox, own, isolation, required) => {
  const settings = { entries: { mine: { sandbox: own } }, sandbox }
  expect([isolationOf(plugin(), settings), requiresSandbox(plugin(), settings)]).toEqual([isolation, required])
})

const reason = 'made up'
const notes = { id: 'notes', entry: 'dist/memory.js', label: 'Notes', capabilities: { snapshot: true } }
const net = (value: unknown) => ({ permissions: { net: { value, reason } } })
const keyOf = (more: object = {}, entry?: PluginEntry): string =>
  permissionSetOf(plugin(more), { entries: { mine: entry, other: entry } }).key

test('equal permissions share a key, in whatever order and for whatever reason', () => {
  expect(keyOf({ id: 'other', version: '2.0.0' })).toBe(keyOf())
  expect(keyOf(net(['a.org', 'b.org']))).toBe(keyOf({ permissions: { net: { value: ['b.org', 'a.org'], reason: 'another' } } }))
  expect(keyOf(net('none'))).toBe(keyOf())
})

test.each([
  ['other hosts', net(['a.org']), undefined],
  ['any host', net('any'), undefined],
  ['files', { permissions: { fs: { value: { read: ['/x'] }, reason } } }, undefined],
  ['files to write', { permissions: { fs: { value: { write: ['/x'] }, reason } } }, undefined],
  ['programs', { permissions: { run: { value: ['git'], reason } } }, undefined],
  ['a variable', { env: [{ name: 'TOKEN', secret: true, required: true, prompt: 'Token' }] }, undefined],
  ['a sandbox without which it does not run', {}, { sandbox: 'bwrap' as const }],
  ['no sandbox', {}, { sandbox: 'off' as const }],
  ['other memory', {}, { memory_mb: 512 }],
  ['what is remembered', { contributes: { memory: [{ ...notes, files: ['NOTES.md'] }] }, api: { memory: 1 } }, undefined],
])('%s is another set', (_name, manifest, entry) => {
  expect(keyOf(manifest, entry)).not.toBe(keyOf())
})

test('to ask for nothing and not to ask are the same', () => {
  const none = { fs: { value: { read: [], write: [] }, reason }, run: { value: [], reason }, env: { value: [], reason } }
  expect(keyOf({ permissions: none })).toBe(keyOf())
})

test('a set has the permissions of its plugins, and no others', () => {
  const permissionsOf = (permissions: object): object => permissionSetOf(plugin({ permissions }), { entries: {} }).permissions
  expect(permissionsOf({})).toEqual({})
  const all = {
    ...{ net: { value: ['a.org'], reason }, fs: { value: { read: ['/x'], write: ['/y'] }, reason } },
    ...{ run: { value: ['git'], reason }, env: { value: ['HOME'], reason } },
  }
  expect(permissionsOf(all)).toEqual(all)
  for (const [name, value] of Object.entries(all)) expect(permissionsOf({ [name]: value })).toEqual({ [name]: value })
})
