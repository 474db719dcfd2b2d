import { fileURLToPath } from 'node:url'
import type { Context, MemoryProvider, ModelEvent, ModelRequest, Provider, TurnEvent } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { openTestHome } from '../../../test/support/test-home.ts'
import type { OpenAgentOptions } from './agent-options.ts'
import { openAgent } from './open-agent.ts'

const installRoot = fileURLToPath(new URL('../../..', import.meta.url))
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const plugin = (id: string, contributes: object) =>
  JSON.stringify({
    ...{ manifestVersion: 1, id, name: id, description: 'made up', version: '1.0.0', license: 'MIT', contributes },
    api: { provider: 1, platform: 1 },
  })
const provider = (id: string) => ({ providers: [{ id, label: id, entry: 'dist/provider.js', auth: 'none', defaultModel: 'one' }] })
const calm = {
  ...{ id: 'calm', entry: 'dist/calm.js', label: 'Calm', door: 'messaging', reach: 'people', capabilities: {}, limits: {} },
  promptHint: 'Here people read on paper.',
}

interface Setting {
  readonly refuses?: boolean
  readonly environment?: object
  readonly options?: Partial<OpenAgentOptions>
  readonly files?: Readonly<Record<string, string>>
}

const memory: MemoryProvider = {
  open: async () => ({
    snapshot: async () => [{ target: 'memory', entries: ['They sail.'], limit: 100 }],
    change: async (_owner, { target }) => ({ target, entries: [], limit: 100 }),
  }),
}

/** What each model is asked in one turn from the platform `calm`; `near` is the chosen one, which refuses where `refuses` says so. */
async function ask(settings: string, { refuses = false, environment = {}, options = {}, files = {} }: Setting = {}) {
  using home = openTestHome()
  const own = { near: provider('near'), spare: provider('spare'), calm: { platforms: [calm] } }
  for (const [id, contributes] of Object.entries(own)) home.write(`plugins/local/${id}/agent.plugin.json`, plugin(id, contributes))
  const entries = Object.keys(own).map((id) => `${id}: { enabled: true }`)
  home.write('config.yaml', `model: { provider: near, default: one }\nplugins: { entries: { ${entries.join(', ')} } }\n${settings}\n`)
  for (const [name, text] of Object.entries(files)) home.write(name, text)
  const asked: { readonly model: string; readonly request: ModelRequest }[] = []
  const answers: readonly ModelEvent[] = [
    { type: 'text', delta: 'Hi.' },
    { type: 'end', reason: 'stop', usage },
  ]
  const failed: ModelEvent = { type: 'failed', class: 'auth', error: { code: 'MODEL_AUTH', params: { provider: 'near', detail: 'no' } } }
  const providerOf = (id: string): Provider => ({
    open: async () => ({
      stream: async function* (request) {
        asked.push({ model: `${id}/${request.model}`, request })
        yield* id === 'near' && refuses ? [failed] : answers
      },
    }),
  })
  const agent = await openAgent({
    ...{ installRoot, environment: { ...home.environment, ...environment }, profile: undefined, note: () => undefined },
    ...{ clock: createFakeClock(), importEntry: async ({ kind, id }) => ({ default: kind === 'memory' ? memory : providerOf(id) }) },
    ...options,
  })
  const events: TurnEvent[] = []
  try {
    const input = [{ type: 'text', text: 'hello' }] as const
    const call = createCall(new AbortController().signal)
    for await (const event of agent.turns.run({ input, source: 'calm', canAnswer: false }, call)) events.push(event)
  } finally {
    await agent.close()
  }
  return { asked: asked.map(({ model }) => model), request: asked[0]?.request, events }
}

test('a model hears of the platform, of how hard it shall think, and what the environment adds for all turns', async () => {
  const { request } = await ask('agent: { reasoning_effort: high }', { environment: { AGENT_EPHEMERAL_SYSTEM_PROMPT: 'Be brief.' } })
  expect(request?.system).toContain('Here people read on paper.')
  expect(request).toMatchObject({ model: 'one', reasoning: 'high', ephemeral: 'Be brief.' })
  const plain = await ask('agent: { reasoning_effort: "" }')
  expect(plain.request).not.toHaveProperty('reasoning')
  expect(plain.request).not.toHaveProperty('ephemeral')
})

test.each([
  [{}, true],
  [{ ignoreRules: true }, false],
])('with %j a model hears what is remembered: %s', async (options, isHeard) => {
  const { request } = await ask('', { options, files: { 'memories/MEMORY.md': 'They sail.\n' } })
  expect(request?.system?.includes('They sail.')).toBe(isHeard)
})

test.each([
  ['fallback_model: { provider: spare, model: s }', ['near/one', 'spare/s']],
  ['fallback_model: { provider: spare, model: s }\nfallback_providers: [{ provider: spare, model: a }]', ['near/one', 'spare/a']],
  [
    'fallback_providers: [{ provider: spare, model: "" }, { provider: offline, model: x }, { provider: spare, model: b }]',
    ['near/one', 'spare/b'],
  ],
  ['fallback_model: { provider: "", model: s }', ['near/one']],
  ['fallback_model: { provider: offline, model: s }', ['near/one']],
  ['', ['near/one']],
])('with %j in the settings these models are asked: %j', async (settings, models) => {
  expect((await ask(settings, { refuses: true })).asked).toEqual(models)
})

test('each event that a plugin hears has an id by which its own log tells it apart', async () => {
  using home = openTestHome()
  const hooks = [{ id: 'ear', entry: 'dist/hooks.js', label: 'Ear', hooks: [{ name: 'turn.before' }] }]
  home.write('plugins/local/ear/agent.plugin.json', plugin('ear', { hooks }).replace('"platform":1', '"platform":1,"hooks":1'))
  home.write('config.yaml', 'plugins: { entries: { ear: { enabled: true } } }\n')
  const ids: string[] = []
  const entry = { open: async () => ({ hooks: { 'turn.before': async (_: unknown, { id }: { id: string }) => void ids.push(id) } }) }
  const agent = await openAgent({
    ...{ installRoot, environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }, profile: undefined },
    ...{ note: () => undefined, clock: createFakeClock(), importEntry: async () => ({ default: entry }) },
  })
  const event = { turn: 't', session: 's', source: 'cli', input: [], instructions: undefined }
  for (let count = 0; count < 2; count++) await agent.hooks.call('turn.before', event)
  await agent.close()
  expect(ids).toEqual([expect.stringMatching(/^call_./), expect.stringMatching(/^call_./)])
  expect(ids[0]).not.toBe(ids[1])
})

test('a plugin keeps what it wants to, and gets the secrets that it declares', async () => {
  using home = openTestHome()
  const hooks = [{ id: 'ear', entry: 'dist/hooks.js', label: 'Ear', hooks: [{ name: 'turn.end' }] }]
  const manifest = { ...JSON.parse(plugin('ear', { hooks })), api: { hooks: 1 } }
  const env = [{ name: 'EAR_KEY', secret: true, required: false, prompt: 'Key' }]
  home.write('plugins/local/ear/agent.plugin.json', JSON.stringify({ ...manifest, env }))
  home.write('config.yaml', 'plugins: { entries: { ear: { enabled: true } } }\n')
  const found: unknown[] = []
  const entry = {
    open: async ({ state, secrets }: Context) => {
      found.push(await state.get('a'), await secrets.find('EAR_KEY'), await secrets.get('EAR_KEY').catch(({ code }) => code))
      await state.set('a', { b: 1 })
      found.push(await state.get('a'))
      await state.delete('a')
      found.push(await state.get('a'))
      return { hooks: { 'turn.end': async () => undefined } }
    },
  }
  const agent = await openAgent({
    ...{ installRoot, environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }, profile: undefined },
    ...{ note: () => undefined, clock: createFakeClock(), importEntry: async () => ({ default: entry }) },
  })
  await agent.hooks.call('turn.end', {} as never)
  await agent.close()
  expect(found).toEqual([undefined, undefined, 'ENV_MISSING', { b: 1 }, undefined])
})
