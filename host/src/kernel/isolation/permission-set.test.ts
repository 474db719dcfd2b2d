import { type Manifest, manifestSchema } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { Installed } from '../installed/manifest-file.ts'
import type { PluginEntry } from './permission-set.ts'
import { isolationOf, permissionSetOf } from './permission-set.ts'

const plugin = (more: object = {}, source: Installed['source'] = 'local'): Installed => {
  const basics = { manifestVersion: 1, id: 'mine', name: 'Mine', description: 'made up', version: '1.0.0', license: 'MIT', api: {} }
  return { manifest: manifestSchema.parse({ ...basics, ...more }) as Manifest, root: '/r', source, warnings: [] }
}

test.each<[Installed['source'], object, PluginEntry | undefined, string]>([
  ['bundled', {}, undefined, 'inproc'],
  ['bundled', {}, { isolation: 'process' }, 'process'],
  ['bundled', { isolation: 'process' }, undefined, 'process'],
  ['local', {}, undefined, 'process'],
  ['link', {}, undefined, 'process'],
  ['installed', {}, { isolation: 'inproc' }, 'inproc'],
  ['installed', { isolation: 'process' }, { isolation: 'inproc' }, 'process'],
  ['local', {}, { sandbox: 'bwrap' }, 'bwrap'],
  ['local', {}, { sandbox: 'bwrap', isolation: 'inproc' }, 'inproc'],
])('a %s plugin with %j and the settings %j runs %s', (source, manifest, entry, isolation) => {
  expect(isolationOf(plugin(manifest, source), entry)).toBe(isolation)
})

const reason = 'made up'
const net = (value: unknown) => ({ permissions: { net: { value, reason } } })
const keyOf = (more: object = {}, entry?: PluginEntry): string => permissionSetOf(plugin(more), entry).key

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
  ['a sandbox', {}, { sandbox: 'bwrap' as const }],
  ['other memory', {}, { memory_mb: 512 }],
])('%s is another set', (_name, manifest, entry) => {
  expect(keyOf(manifest, entry)).not.toBe(keyOf())
})
