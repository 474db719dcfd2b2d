import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundledProviders } from '../../../../test/providers/bundled.ts'
import { openEndpoint } from './endpoint.ts'

const providers = bundledProviders(join(import.meta.dirname, '../../../..'))

function endpointOf(id: string, env: Record<string, string>) {
  const spec = providers.find((one) => one.id === id)
  if (!spec) throw new Error(`no provider ${id}`)
  return openEndpoint({ id, spec }, { config: { model: {} }, environment: { get: (name) => env[name] }, environmentFile: '/home/.env' })
}

test('Gemini is spoken to in its own protocol, and by chat completions at an address that ends so', () => {
  const env = { GEMINI_API_KEY: 'k' }
  expect(endpointOf('gemini', env)).toMatchObject({ protocol: 'gemini-generate', baseUrl: expect.stringMatching(/v1beta$/) })
  expect(endpointOf('gemini', { ...env, GEMINI_BASE_URL: 'https://proxy.test/v1beta/openai/' })).toMatchObject({
    protocol: 'openai-chat',
    baseUrl: 'https://proxy.test/v1beta/openai',
  })
})
