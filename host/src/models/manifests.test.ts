import { readdir, readFile } from 'node:fs/promises'
import { manifestSchema } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { openEndpoint } from './request/endpoint.ts'

const folder = new URL('../../../plugins/providers/', import.meta.url)
const names = await readdir(folder)

test.each(names)('the manifest of %s follows the rules of providers', async (name) => {
  const text = await readFile(new URL(`${name}/agent.plugin.json`, folder), 'utf8')
  const manifest = manifestSchema.parse(JSON.parse(text))
  const [spec, ...others] = manifest.contributes.providers
  expect([manifest.id, spec?.id, others]).toEqual([`provider-${name}`, name, []])
  if (!spec?.protocol) return
  const variable = `${name.toUpperCase()}_API_KEY`
  expect([spec.keyEnv, spec.baseUrlEnv]).toEqual([[variable], `${name.toUpperCase()}_BASE_URL`])
  // Only what is declared may be read, and none of it may keep the plugin from being listed.
  expect(manifest.env).toMatchObject([
    { name: variable, secret: true, required: false },
    { name: spec.baseUrlEnv, secret: false, required: false },
  ])
  const values: Record<string, string> = { [variable]: 'k', CUSTOM_BASE_URL: 'http://127.0.0.1:1/v1' }
  const source = { config: { model: {} }, environment: { get: (key: string) => values[key] }, environmentFile: '' }
  expect(openEndpoint({ id: name, spec }, source)).toMatchObject({ provider: name, protocol: spec.protocol, key: 'k', quirks: spec.quirks })
})
