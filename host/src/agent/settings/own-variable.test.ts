import { type ManifestInput, manifestSchema } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { Listed } from '#kernel/catalog/catalog.ts'
import type { Installed } from '#kernel/installed/manifest-file.ts'
import { requireOwnVariable } from './own-variable.ts'

const variable = (name: string, secret = true) => ({ name, secret, required: false, prompt: 'made up' })
const install = (id: string, source: Installed['source'], env: ManifestInput['env']): Installed => ({
  manifest: manifestSchema.parse({
    manifestVersion: 1,
    id,
    name: id,
    description: 'made up',
    version: '1.0.0',
    license: 'MIT',
    api: {},
    env,
  }),
  ...{ root: '/r', source, warnings: [] },
})
const names = ['MINE_TOKEN', 'MINE_API_KEY', 'API_SERVER_KEY', 'GATEWAY_ALLOW_ALL_USERS', 'CHAT_ALLOWED_USERS', 'CHAT_TOKEN']
const chat = install('chat', 'bundled', [variable('CHAT_HOST', false), variable('CHAT_TOKEN')])
const write = (source: Installed['source'], name: string, secret = true) => {
  const mine = install('mine', source, [...names.filter((each) => each !== name).map((each) => variable(each)), variable(name, secret)])
  const plugins = [mine, chat].map((installed) => ({ id: installed.manifest.id, installed }) as unknown as Listed)
  return () => requireOwnVariable(mine, name, { plugins })
}

test('a plugin of others writes its own secrets', () => {
  expect(write('installed', 'MINE_TOKEN')).not.toThrow()
  expect(write('local', 'MINE_API_KEY')).not.toThrow()
  for (const name of names) expect(write('bundled', name)).not.toThrow()
})

test.each([
  ['API_SERVER_KEY', 'it belongs to the agent'],
  ['GATEWAY_ALLOW_ALL_USERS', 'it belongs to the agent'],
  ['CHAT_ALLOWED_USERS', 'it belongs to the agent'],
  ['CHAT_TOKEN', 'chat reads it too'],
])('it does not write %s, although it declares that', (name, why) => {
  expect(write('installed', name)).toThrow(`For mine the agent does not support writing the variable ${name}, since ${why}.`)
})

test('it writes nothing that its manifest calls no secret', () => {
  expect(write('installed', 'MINE_TOKEN', false)).toThrow('its manifest calls it no secret')
})
