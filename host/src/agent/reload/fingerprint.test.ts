import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepLogin } from '#config/auth/auth-store.ts'
import { openHome } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import type { AnyContribution } from '#kernel/catalog/catalog.ts'
import { fingerprint, hashEntry } from './fingerprint.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agent-entry-'))
  mkdirSync(join(root, 'dist'))
})
afterEach(() => rmSync(root, { recursive: true }))

const hashOf = (source: 'link' | 'local'): string =>
  hashEntry({ kind: 'toolset', id: 'mine', spec: { entry: 'dist/toolset.js' }, plugin: { root, source } } as unknown as AnyContribution)

test('the code of a linked plugin is told apart by what it holds, and from code that is not there', () => {
  const missing = hashOf('link')
  const write = (text: string): void => writeFileSync(join(root, 'dist', 'toolset.js'), text)
  write('1')
  const first = hashOf('link')
  write('2')
  const second = hashOf('link')
  write('1')
  expect(hashOf('link')).toBe(first)
  expect(new Set([missing, first, second]).size).toBe(3)
})

test('what is installed has a folder for each version, and is not read', () => {
  writeFileSync(join(root, 'dist', 'toolset.js'), '1')
  expect(hashOf('local')).toBe('')
})

test('data of a manifest alone has no file to hash', () => {
  const data = { kind: 'provider', id: 'p', spec: { id: 'p' }, plugin: { root, source: 'link' } } as unknown as AnyContribution
  expect(hashEntry(data)).toBe('')
})

test('a provider runs otherwise once somebody has logged in to it, and only that one', async () => {
  const environment = { AGENT_HOME: root }
  const print = async (id: string): Promise<string> => {
    const plugin = { root, source: 'bundled', manifest: { id: `provider-${id}`, version: '1.0.0', env: [] } }
    const contribution = { kind: 'provider', id, spec: { id, aliases: [] }, settings: {}, plugin } as unknown as AnyContribution
    return fingerprint(contribution, await loadConfig(openHome({ environment }), environment), '').whole
  }
  const before = [await print('mine'), await print('other')]
  keepLogin(join(root, 'auth.json'), 'mine', { kind: 'cli', at: 1 })
  const after = [await print('mine'), await print('other')]
  expect([after[0] === before[0], after[1] === before[1]]).toEqual([false, true])
})

test('address and key of the model belong to the provider that they are for: it runs otherwise with others', async () => {
  const print = async (id: string, model: string): Promise<string> => {
    writeFileSync(join(root, 'config.yaml'), `model: ${model}\n`)
    const environment = { AGENT_HOME: root }
    const loaded = await loadConfig(openHome({ environment }), environment)
    const plugin = { root, source: 'bundled', manifest: { id: `provider-${id}`, version: '1.0.0', env: [] } }
    const contribution = { kind: 'provider', id, spec: { id, aliases: [`${id}-ai`] }, settings: {}, plugin } as unknown as AnyContribution
    return fingerprint(contribution, loaded, '').whole
  }
  const models = [
    '{}',
    '{ base_url: "http://a" }',
    '{ base_url: "http://b" }',
    '{ base_url: "http://b", api_key: k }',
    '{ provider: other, base_url: "http://b" }',
  ]
  const prints = async (id: string): Promise<readonly string[]> => {
    const found: string[] = []
    for (const model of models) found.push(await print(id, model))
    return found
  }
  const own = await prints('custom')
  expect(new Set(own).size).toBe(4)
  expect(own[4]).toBe(own[0])
  expect(new Set((await prints('other')).slice(0, 4)).size).toBe(1)
  const named = await print('other', '{ provider: other-ai, base_url: "http://b" }')
  expect(named).toBe(await print('other', models[4] ?? ''))
  expect(named).not.toBe(own[0])
})
