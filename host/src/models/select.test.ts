import { expect, test } from 'vitest'
import { type ModelSettings, openEndpoint } from './request/endpoint.ts'
import { chooseModel } from './select.ts'
import { createProvider } from './testing/model-call.ts'

const providers = [
  createProvider({
    id: 'anthropic',
    aliases: ['claude'],
    protocol: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com',
    keyEnv: ['ANTHROPIC_API_KEY'],
    baseUrlEnv: 'ANTHROPIC_BASE_URL',
    defaultModel: 'claude',
  }),
  createProvider({
    id: 'custom',
    protocol: 'openai-chat',
    auth: 'optional-key',
    keyEnv: ['CUSTOM_API_KEY'],
    baseUrlEnv: 'CUSTOM_BASE_URL',
  }),
  createProvider({ id: 'offline', entry: 'dist/offline.js', auth: 'none', defaultModel: 'offline' }),
  createProvider({
    id: 'ollama',
    protocol: 'openai-chat',
    auth: 'optional-key',
    baseUrl: 'http://127.0.0.1:11434/v1',
    keyEnv: ['OLLAMA_API_KEY'],
    baseUrlEnv: 'OLLAMA_BASE_URL',
    local: true,
  }),
  createProvider({
    id: 'openai',
    protocol: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    baseUrlOfKeys: [{ prefix: 'sk-plan-', baseUrl: 'https://plan.openai.com/v1' }],
    keyEnv: ['OPENAI_API_KEY', 'SHARED_KEY'],
    baseUrlEnv: 'OPENAI_BASE_URL',
    defaultModel: 'gpt',
    quirks: { promptCache: 'key' },
  }),
]

interface Given {
  readonly model?: ModelSettings
  readonly env?: Record<string, string>
  readonly wish?: { provider?: string; model?: string }
  readonly without?: string
}

const sourceOf = ({ model = {}, env = {}, without }: Given) => ({
  catalog: { of: () => providers.filter(({ id }) => id !== without) },
  config: { model },
  environment: { get: (name: string) => env[name] },
  environmentFile: '/home/.env',
})
const choose = (given: Given) => {
  const { provider, model, implicit } = chooseModel(sourceOf(given), given.wish ?? {})
  return `${provider} ${model}${implicit ? ' implicit' : ''}`
}

test.each<[string, Given, string]>([
  ['nothing at all', {}, 'offline offline implicit'],
  ['a key', { env: { OPENAI_API_KEY: 'k' } }, 'openai gpt'],
  ['two keys: registry order', { env: { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' } }, 'anthropic claude'],
  ['a key under another name chooses nothing', { env: { SHARED_KEY: 'k' } }, 'offline offline implicit'],
  ['a name that people know it by', { wish: { provider: 'claude' } }, 'anthropic claude'],
  ['configured by such a name', { model: { provider: 'claude', default: 'opus' } }, 'anthropic opus'],
  ['an empty key is none', { env: { OPENAI_API_KEY: '' } }, 'offline offline implicit'],
  ['a base URL without a key', { env: { OPENAI_BASE_URL: 'http://x' } }, 'offline offline implicit'],
  ['a local server by address', { env: { OLLAMA_BASE_URL: 'http://x/v1' }, wish: { model: 'm' } }, 'ollama m'],
  ['a custom address', { model: { base_url: 'http://x/v1', default: 'm' } }, 'custom m'],
  ['configured', { model: { provider: 'openai', default: 'gpt-mini' } }, 'openai gpt-mini'],
  ['configured beats a key', { model: { provider: 'openai' }, env: { ANTHROPIC_API_KEY: 'k' } }, 'openai gpt'],
  [
    'the variable beats the configuration, whose model is not its own',
    { model: { provider: 'openai', default: 'gpt-mini' }, env: { AGENT_INFERENCE_PROVIDER: 'anthropic' } },
    'anthropic claude',
  ],
  [
    'the wish beats all',
    { model: { provider: 'openai', default: 'gpt-mini' }, env: { AGENT_INFERENCE_PROVIDER: 'anthropic' }, wish: { provider: 'offline' } },
    'offline offline',
  ],
  ['a wished model', { model: { provider: 'openai' }, wish: { model: 'gpt-x' } }, 'openai gpt-x'],
  ['auto', { model: { provider: 'auto', default: 'm' }, env: { OPENAI_API_KEY: 'k' } }, 'openai m'],
  ['offline by name is not implicit', { model: { provider: 'offline' } }, 'offline offline'],
])('%s', (_title, given, expected) => {
  expect(choose(given)).toBe(expected)
})

test.each<[string, Given, string]>([
  ['none', { model: { provider: 'none' }, env: { OPENAI_API_KEY: 'k' } }, 'NO_PROVIDER'],
  ['a model for nobody', { model: { default: 'm' } }, 'NO_PROVIDER'],
  ['a key for nobody', { model: { api_key: 'k' } }, 'NO_PROVIDER'],
  ['offline is not there', { without: 'offline' }, 'NO_PROVIDER'],
  ['unknown', { wish: { provider: 'opnai' } }, 'PROVIDER_UNKNOWN'],
  ['no model', { model: { provider: 'ollama' } }, 'MODEL_MISSING'],
])('%s is refused', (_title, given, code) => {
  expect(() => choose(given)).toThrowError(expect.objectContaining({ code }))
})

test('a misspelt provider is told the nearest one', () => {
  expect(() => choose({ wish: { provider: 'opnai' } })).toThrowError(/Did you mean "openai"/)
  expect(() => choose({ wish: { provider: 'cluade' } })).toThrowError(/Did you mean "claude"/)
})

const endpointOf = (id: string, given: Given) => {
  const found = providers.find((provider) => provider.id === id)
  if (!found) throw new Error(id)
  return openEndpoint(found, sourceOf(given))
}

test('address and key of the configuration belong to the configured provider only', () => {
  const model = { provider: 'custom', base_url: 'http://mine/v1/', api_key: 'mine' }
  expect(endpointOf('custom', { model })).toMatchObject({ baseUrl: 'http://mine/v1', key: 'mine' })
  expect(endpointOf('anthropic', { model, env: { ANTHROPIC_API_KEY: 'theirs' } })).toMatchObject({
    baseUrl: 'https://api.anthropic.com',
    key: 'theirs',
  })
  expect(() => endpointOf('anthropic', { model })).toThrowError(expect.objectContaining({ code: 'ENV_MISSING' }))
  expect(endpointOf('ollama', { model }).key).toBeUndefined()
})

test('a provider that was configured by another name of it has the address and the key', () => {
  const model = { provider: 'claude', base_url: 'http://mine/v1', api_key: 'mine' }
  expect(endpointOf('anthropic', { model })).toMatchObject({ baseUrl: 'http://mine/v1', key: 'mine' })
})

test('a key that has been chosen is found under each of its names, and by its beginning it leads to its own address', () => {
  expect(endpointOf('openai', { env: { SHARED_KEY: 'k' } })).toMatchObject({ key: 'k', baseUrl: 'https://api.openai.com/v1' })
  const env = { OPENAI_API_KEY: 'sk-plan-1' }
  expect(endpointOf('openai', { env }).baseUrl).toBe('https://plan.openai.com/v1')
  expect(endpointOf('openai', { env: { ...env, OPENAI_BASE_URL: 'https://api.openai.com/v1' } }).baseUrl).toBe('https://api.openai.com/v1')
})

test('the environment beats the configuration', () => {
  const model = { provider: 'custom', base_url: 'http://config/v1', api_key: 'config' }
  expect(endpointOf('custom', { model, env: { CUSTOM_BASE_URL: 'http://env/v1', CUSTOM_API_KEY: 'env' } })).toMatchObject({
    baseUrl: 'http://env/v1',
    key: 'env',
  })
})

test('an imitation of OpenAI is spoken to in chat completions, without the deviations of the original', () => {
  const env = { OPENAI_API_KEY: 'k' }
  expect(endpointOf('openai', { env })).toMatchObject({ protocol: 'openai-responses', quirks: { promptCache: 'key' } })
  expect(endpointOf('openai', { env: { ...env, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } })).toMatchObject({
    protocol: 'openai-chat',
    quirks: {},
  })
  expect(endpointOf('openai', { env: { ...env, OPENAI_BASE_URL: 'https://api.openai.com/v1/' } }).protocol).toBe('openai-responses')
})

test.each(['localhost:8000', 'ftp://x', 'not an address'])('the address %s is refused', (address) => {
  expect(() => endpointOf('custom', { env: { CUSTOM_BASE_URL: address } })).toThrowError(expect.objectContaining({ code: 'USAGE' }))
  expect(() => endpointOf('custom', {})).toThrowError(expect.objectContaining({ code: 'ENV_MISSING' }))
})

test('a login chooses its provider where nothing was chosen, as a key does', () => {
  const portal = createProvider({
    id: 'portal',
    auth: 'login',
    keyEnv: ['PORTAL_TOKEN'],
    baseUrl: 'https://portal.example/v1',
    defaultModel: 'p',
  })
  const source = (loggedIn: readonly string[], env: Record<string, string> = {}) => {
    const given = sourceOf({ env })
    return { ...given, catalog: { of: () => [portal, ...given.catalog.of()] }, loggedIn: new Set(loggedIn) }
  }
  expect(chooseModel(source([]), {})).toMatchObject({ provider: 'offline', implicit: true })
  expect(chooseModel(source(['portal']), {})).toMatchObject({ provider: 'portal', implicit: false })
  expect(chooseModel(source([], { PORTAL_TOKEN: 'tok' }), {}).provider).toBe('portal')
  expect(chooseModel(source(['openai']), {}).provider).toBe('openai')
  expect(chooseModel(source(['openai'], { AGENT_INFERENCE_PROVIDER: 'anthropic' }), {}).provider).toBe('anthropic')
})
