import { readdir, readFile } from 'node:fs/promises'
import { manifestSchema, type ProviderManifest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { openEndpoint } from './request/endpoint.ts'

const folder = new URL('../../../plugins/providers/', import.meta.url)
const names = await readdir(folder)

test.each(names)('the manifest of %s follows the rules of providers', async (name) => {
  const text = await readFile(new URL(`${name}/agent.plugin.json`, folder), 'utf8')
  const manifest = manifestSchema.parse(JSON.parse(text))
  const [spec, ...others] = manifest.contributes.providers
  expect(manifest.id).toBe(`provider-${name}`)
  expect(manifest.contributes.providers.map(({ id }) => id)).toContain(name)
  if (!spec?.protocol) return
  expect(others).toEqual([])
  const [variable, address] = ['API_KEY', 'BASE_URL'].map((end) => `${name.toUpperCase().replaceAll('-', '_')}_${end}`)
  if (spec.auth === 'login') return checkLogin(spec, manifest.env)
  // Some services take an account and know no keys.
  const hasKeys = spec.auth !== 'none' && !(spec.auth === 'google' && spec.keyEnv.length === 0)
  expect([spec.keyEnv[0], spec.baseUrlEnv]).toEqual([hasKeys ? variable : undefined, address])
  // Only what is declared may be read, and none of it may keep the plugin from being listed.
  expect(manifest.env.slice(0, spec.keyEnv.length + 1)).toMatchObject([
    ...spec.keyEnv.map((key) => ({ name: key, secret: true, required: false })),
    { name: address, secret: false, required: false },
  ])
  const more = manifest.env.slice(spec.keyEnv.length + 1)
  expect(more.filter(({ required }) => required)).toEqual([])
  const read = spec.variables.flatMap(({ env }) => env)
  expect(more.map((one) => one.name)).toEqual(expect.arrayContaining(read))
  if (spec.auth === 'api-key') expect(more.map((one) => one.name)).toEqual(read)
  const values: Record<string, string> = {
    [variable ?? '']: 'k',
    VERTEX_PROJECT: 'p',
    ...(spec.baseUrl ? {} : { [address ?? '']: 'http://127.0.0.1:1/v1' }),
  }
  const source = { config: { model: {} }, environment: { get: (key: string) => values[key] }, environmentFile: '' }
  expect(openEndpoint({ id: name, spec }, source)).toMatchObject({
    ...{ provider: name, protocol: spec.protocol, key: hasKeys ? 'k' : undefined, quirks: spec.quirks },
  })
})

/** A login is for the vendor's host alone, so nothing leads elsewhere; its variables are declared. */
function checkLogin(
  { login, keyEnv, baseUrlEnv, variables }: ProviderManifest,
  env: readonly { readonly name: string; readonly secret: boolean }[],
): void {
  const id = login && 'clientIdEnv' in login ? login.clientIdEnv : undefined
  const secret = login && 'clientSecretEnv' in login ? login.clientSecretEnv : undefined
  expect(baseUrlEnv).toBeUndefined()
  expect(env.map(({ name, secret }) => [name, secret])).toEqual([
    ...keyEnv.map((name) => [name, true]),
    ...(id === undefined ? [] : [[id, false]]),
    ...(secret === undefined ? [] : [[secret, true]]),
    ...variables.flatMap(({ env }) => env).map((name) => [name, false]),
  ])
}

test('no two providers have a name in common', async () => {
  const known = await Promise.all(
    names.map(async (name) => {
      const manifest = manifestSchema.parse(JSON.parse(await readFile(new URL(`${name}/agent.plugin.json`, folder), 'utf8')))
      return manifest.contributes.providers.flatMap(({ id, aliases }) => [id, ...aliases])
    }),
  )
  const all = known.flat()
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([])
})
