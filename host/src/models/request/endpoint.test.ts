import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { bundledProviders } from '../../../../test/providers/bundled.ts'
import { fetchModels } from '../list/fetch-models.ts'
import { openModels } from '../open.ts'
import { openAnthropicMessages } from '../protocols/anthropic-messages/anthropic-messages.ts'
import { openOpenaiChat } from '../protocols/openai-chat/openai-chat.ts'
import { collect, createDeps, createRequest, createTestCall, stillClock } from '../testing/model-call.ts'
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

const azure = (address: string) => endpointOf('azure-foundry', { AZURE_FOUNDRY_API_KEY: 'azure-key', AZURE_FOUNDRY_BASE_URL: address })

test.each<[string, string, string]>([
  ['/openai/v1', '/openai/v1/chat/completions', 'api-key'],
  ['', '/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21', 'api-key'],
  ['/openai/', '/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21', 'api-key'],
  ['/openai?api-version=2025-04-01-preview', '/openai/deployments/my%20gpt/chat/completions?api-version=2025-04-01-preview', 'api-key'],
  ['/models', '/models/chat/completions?api-version=2024-05-01-preview', 'api-key'],
  ['/anthropic', '/anthropic/v1/messages', 'x-api-key'],
])('Azure at %j is asked at %s, with its key in %s', async (path, expected, header) => {
  const asked: { readonly url: URL; readonly headers: Record<string, string> }[] = []
  const watched = (async (url: URL, { headers }: { headers: Record<string, string> }) => {
    asked.push({ url, headers })
    return new Response('{}', { status: 500 })
  }) as unknown as typeof fetch
  const deps = createDeps({ ...azure(`https://mine.test${path}`), fetch: watched })
  const open = deps.endpoint.protocol === 'anthropic-messages' ? openAnthropicMessages : openOpenaiChat
  await collect(open(deps)(createRequest({ model: 'my gpt' }), createTestCall()))
  expect(asked.map(({ url }) => url.href)).toEqual([`https://mine.test${expected}`])
  expect(asked[0]?.headers).toMatchObject({ [header]: 'azure-key' })
  expect(asked[0]?.headers).not.toHaveProperty('authorization')
})

test('Azure lists its models beside the deployments, with the same version', async () => {
  const asked: string[] = []
  const watched = (async (url: URL) => {
    asked.push(url.href)
    return Response.json({ data: [{ id: 'gpt' }] })
  }) as unknown as typeof fetch
  expect(await fetchModels(azure('https://mine.test/openai'), watched, new AbortController().signal)).toEqual(['gpt'])
  expect(asked).toEqual(['https://mine.test/openai/models?api-version=2024-10-21'])
})

test('where no key is taken, none is sent', () => {
  expect(endpointOf('opencode-free', { OPENCODE_ZEN_API_KEY: 'k' }).key).toBeUndefined()
})

test.each([
  ['opencode-zen', 'gpt-5.1', '/zen/v1/responses', 'authorization'],
  ['opencode-zen', 'claude-opus-4-6', '/zen/v1/messages', 'x-api-key'],
  ['opencode-zen', 'gemini-3-pro', '/zen/v1/models/gemini-3-pro:streamGenerateContent?alt=sse', 'x-goog-api-key'],
  ['opencode-zen', 'kimi-k2.5', '/zen/v1/chat/completions', 'authorization'],
  ['opencode-go', 'minimax-m2.5', '/zen/go/v1/messages', 'x-api-key'],
  ['opencode-go', 'grok-4', '/zen/go/v1/responses', 'authorization'],
  ['opencode-go', 'kimi-k2.5', '/zen/go/v1/chat/completions', 'authorization'],
])('%s speaks to %s at %s', async (id, model, path, header) => {
  const asked: { readonly url: URL; readonly headers: Record<string, string> }[] = []
  const watched = (async (url: URL, { headers }: { headers: Record<string, string> }) => {
    asked.push({ url, headers })
    return new Response('{}', { status: 500 })
  }) as unknown as typeof fetch
  const spec = providers.find((one) => one.id === id)
  if (!spec) throw new Error(`no provider ${id}`)
  const contributions = [{ kind: 'provider' as const, id, spec }]
  const models = openModels({
    catalog: { of: () => contributions },
    activator: { entry: <T>() => Promise.reject<T>(new Error('it has no code')) },
    context: () => Promise.reject(new Error('it has no code')),
    ...{ config: { model: {} }, environment: { get: (name) => (name === spec.keyEnv[0] ? 'the-key' : undefined) }, environmentFile: '' },
    ...{ clock: stillClock, log: silentLog, timeoutMs: 1_000, fetch: watched, newCallId: () => 'c' },
  })
  const chat = await models.model({ provider: id, model })
  await collect(chat.stream(createRequest({ model, session: 'ses_9' }), createTestCall()))
  await models.close()
  expect(asked[0]?.url.href).toBe(`https://opencode.ai${path}`)
  expect(asked[0]?.headers[header]).toContain('the-key')
  expect(asked[0]?.headers['x-opencode-session']).toBe(id === 'opencode-go' ? 'ses_9' : undefined)
})
