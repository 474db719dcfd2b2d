import type { AssistantPart, ModelEvent, ModelMessage, ModelRequest, Provider, ToolSpec } from '@agent/plugin-sdk'
import { fromWireError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { refusals } from '../../../test/providers/refusals.ts'
import { startFakeAnthropic } from '../../../test/support/fakes/fake-anthropic.ts'
import { startFakeOpenai } from '../../../test/support/fakes/fake-openai.ts'
import type { FakeAnswer, FakeOptions, FakeVendor } from '../../../test/support/fakes/fake-vendor.ts'
import { type ModelDeps, openModels } from './open.ts'
import type { ProviderContribution } from './request/endpoint.ts'
import { collect, createProvider, createRequest, createTestCall, joinDeltas } from './testing/model-call.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }

function createModels(provider: ProviderContribution, variables: Record<string, string> = {}, more: Partial<ModelDeps> = {}) {
  return openModels({
    catalog: { of: () => [provider] },
    activator: { entry: <T>() => Promise.reject<T>(new Error('no code here')) },
    context: () => Promise.reject(new Error('no code here')),
    config: { model: {} },
    environment: { get: (name) => variables[name] },
    environmentFile: '/home/.env',
    clock: systemClock,
    log: silent,
    timeoutMs: 900_000,
    newCallId: () => 'call_made',
    ...more,
  })
}

const key = 'sk-fake-0123456789'
const keyed = { VENDOR_API_KEY: key }

interface Vendor {
  readonly name: string
  readonly model: string
  start(options: FakeOptions): Promise<FakeVendor & { readonly url: string }>
  provider(url: string): ProviderContribution
}

const vendorOf = (protocol: 'openai-chat' | 'openai-responses' | 'anthropic-messages') => (url: string) =>
  createProvider({ id: 'vendor', protocol, baseUrl: url, keyEnv: ['VENDOR_API_KEY'] })

const vendors: readonly Vendor[] = [
  { name: 'openai-chat', model: 'fake-model', start: startFakeOpenai, provider: vendorOf('openai-chat') },
  { name: 'openai-responses', model: 'gpt-5-fake', start: startFakeOpenai, provider: vendorOf('openai-responses') },
  { name: 'anthropic-messages', model: 'claude-opus-4-7', start: startFakeAnthropic, provider: vendorOf('anthropic-messages') },
]

const tools: readonly ToolSpec[] = [
  { name: 'read_file', description: 'Read a file.', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'terminal', description: 'Run a command.', parameters: { type: 'object', properties: { command: { type: 'string' } } } },
]

async function ask(
  vendor: Vendor,
  server: FakeVendor & { readonly url: string },
  request: Partial<ModelRequest> = {},
  signal?: AbortSignal,
) {
  const models = createModels(vendor.provider(server.url), keyed)
  const chat = await models.model({ provider: 'vendor', model: vendor.model })
  const events = await collect(chat.stream(createRequest({ model: vendor.model, ...request }), createTestCall(signal)))
  await models.close()
  return events
}

/** What the agent would store of an answer. */
function assistantOf(events: readonly ModelEvent[]): ModelMessage {
  const parts = joinDeltas(events).flatMap((event): AssistantPart[] => {
    if (event.type === 'text') return [{ type: 'text', text: event.delta }]
    if (event.type === 'opaque') return [{ ...event, provider: 'vendor' }]
    return event.type === 'call' ? [event] : []
  })
  return { role: 'assistant', parts }
}

function lastFailure(events: readonly ModelEvent[]) {
  const last = events.at(-1)
  if (last?.type !== 'failed') throw new Error(`not failed: ${JSON.stringify(last)}`)
  return last
}

const work: FakeAnswer = {
  reasoning: 'I need two things.',
  text: 'One moment.',
  calls: [
    { name: 'read_file', args: '{"path":"notes.txt"}' },
    { name: 'terminal', args: '{"command": "ls' },
  ],
}

for (const vendor of vendors) {
  test(`${vendor.name}: a conversation with parallel calls, reasoning and broken arguments is accepted back`, async () => {
    await using server = await vendor.start({
      key,
      models: [vendor.model],
      answers: [work, { text: 'Done.', usage: { input: 90, output: 3, cached: 64 } }],
    })
    const first = await ask(vendor, server, { tools, ephemeral: 'Today is Monday.', reasoning: 'high' })
    expect(joinDeltas(first).filter(({ type }) => type === 'text' || type === 'reasoning' || type === 'call')).toEqual([
      { type: 'reasoning', delta: 'I need two things.' },
      { type: 'text', delta: 'One moment.' },
      { type: 'call', id: expect.any(String), name: 'read_file', args: '{"path":"notes.txt"}' },
      { type: 'call', id: expect.any(String), name: 'terminal', args: '{"command": "ls' },
    ])
    expect(first.at(-1)).toMatchObject({ type: 'end', reason: 'tool-calls' })
    const results = first.flatMap((event) => (event.type === 'call' ? [{ id: event.id, name: event.name, ok: true, text: 'fine' }] : []))
    const messages: ModelMessage[] = [
      ...createRequest().messages,
      assistantOf(first),
      { role: 'tool', results },
      ...createRequest().messages,
    ]
    const second = await ask(vendor, server, { tools, messages, ephemeral: 'Today is Tuesday.', reasoning: 'high' })
    expect(joinDeltas(second)[0]).toEqual({ type: 'text', delta: 'Done.' })
    expect(second.at(-1)).toMatchObject({ type: 'end', reason: 'stop', usage: { input: 90, output: 3, cacheRead: 64 } })
    expect(server.requests).toHaveLength(2)
  })

  test(`${vendor.name}: an answer that is not streamed gives the same events`, async () => {
    await using server = await vendor.start({
      models: [vendor.model],
      answers: [{ text: 'Plain.', calls: [{ id: 'c1', name: 'read_file', args: '{"path":"a"}' }] }],
    })
    const unstreamed: typeof fetch = (url, init) =>
      fetch(url, {
        ...init,
        body: String(init?.body).replace('"stream":true', '"stream":false').replace(',"stream_options":{"include_usage":true}', ''),
      })
    const models = createModels(vendor.provider(server.url), keyed, { fetch: unstreamed })
    const chat = await models.model({ provider: 'vendor', model: vendor.model })
    expect(joinDeltas(await collect(chat.stream(createRequest(), createTestCall())))).toEqual([
      { type: 'text', delta: 'Plain.' },
      { type: 'call', id: 'c1', name: 'read_file', args: '{"path":"a"}' },
      { type: 'end', reason: 'tool-calls', usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 } },
    ])
  })

  test(`${vendor.name}: a wrong key is an auth failure that does not repeat the key`, async () => {
    await using server = await vendor.start({ key: 'another key', models: [vendor.model] })
    const failure = lastFailure(await ask(vendor, server))
    expect(failure).toMatchObject({ class: 'auth', error: { code: 'MODEL_AUTH', params: { provider: 'vendor' } } })
    expect(JSON.stringify(failure)).not.toMatch(/sk-f/)
  })

  test(`${vendor.name}: refusals keep their class and the time to wait`, async () => {
    const refuse = (status: number, message: string, headers?: Record<string, string>): FakeAnswer => ({
      refuse: { status, message, ...(headers ? { headers } : {}) },
    })
    const answers = [refuse(429, 'Rate limit reached', { 'retry-after': '7' }), refuse(500, 'Internal error'), refuse(529, 'Overloaded')]
    await using server = await vendor.start({ models: [vendor.model], answers })
    expect(lastFailure(await ask(vendor, server))).toMatchObject({ class: 'rate_limit', error: { retryAfterMs: 7000 } })
    expect(lastFailure(await ask(vendor, server)).class).toBe('server_error')
    expect(lastFailure(await ask(vendor, server)).class).toBe('overloaded')
  })

  test(`${vendor.name}: a model that the vendor does not have is named`, async () => {
    await using server = await vendor.start({ models: ['another'] })
    expect(lastFailure(await ask(vendor, server))).toMatchObject({
      class: 'model_not_found',
      error: { params: { detail: expect.stringContaining(vendor.model) } },
    })
  })

  test(`${vendor.name}: a connection cut in the middle and an error inside the stream end it with one failure`, async () => {
    const error = { type: 'overloaded_error', code: 'overloaded_error', message: 'Overloaded' }
    await using server = await vendor.start({
      models: [vendor.model],
      answers: [
        { text: 'So far so', cut: true },
        { text: 'So far', error },
      ],
    })
    const cut = await ask(vendor, server)
    expect(joinDeltas(cut)[0]).toEqual({ type: 'text', delta: 'So far so' })
    expect(lastFailure(cut)).toMatchObject({ class: 'disconnected', error: { code: 'MODEL_DISCONNECTED' } })
    expect(cut.filter(({ type }) => type === 'failed' || type === 'end')).toHaveLength(1)
    expect(lastFailure(await ask(vendor, server)).class).toBe('overloaded')
  })

  test(`${vendor.name}: an interruption ends the stream and closes the connection, before and after the first byte`, async () => {
    for (const hang of ['headers', 'body'] as const) {
      const reached = new AbortController()
      await using server = await vendor.start({
        models: [vendor.model],
        answers: () => {
          if (hang === 'headers') queueMicrotask(() => reached.abort())
          return { text: 'So far', hang }
        },
      })
      const models = createModels(vendor.provider(server.url), keyed)
      const chat = await models.model({ provider: 'vendor', model: vendor.model })
      const events: ModelEvent[] = []
      for await (const event of chat.stream(createRequest(), createTestCall(reached.signal))) {
        events.push(event)
        if (event.type === 'text') reached.abort()
      }
      expect(lastFailure(events)).toEqual({ type: 'failed', class: 'unknown', error: { code: 'INTERRUPTED', params: {} } })
      await server.abandoned
    }
  })

  test(`${vendor.name}: a reader that leaves closes the connection`, async () => {
    await using server = await vendor.start({ models: [vendor.model], answers: [{ text: 'So far', hang: 'body' }] })
    const models = createModels(vendor.provider(server.url), keyed)
    const chat = await models.model({ provider: 'vendor', model: vendor.model })
    for await (const event of chat.stream(createRequest(), createTestCall())) if (event.type === 'text') break
    await server.abandoned
  })

  test(`${vendor.name}: the models on offer are listed, and a refusal is a coded error`, async () => {
    await using server = await vendor.start({ key, models: ['b', 'a'] })
    expect(await createModels(vendor.provider(server.url), keyed).list('vendor', createTestCall())).toEqual(['a', 'b'])
    const wrong = createModels(vendor.provider(server.url), { VENDOR_API_KEY: 'sk-wrong' })
    await expect(wrong.list('vendor', createTestCall())).rejects.toMatchObject({ code: 'MODEL_AUTH' })
  })
}

test('a missing key is named with the file to put it into, and a later try finds it', async () => {
  const variables: Record<string, string> = {}
  const models = createModels(
    createProvider({ id: 'vendor', protocol: 'openai-chat', baseUrl: 'http://127.0.0.1:1', keyEnv: ['VENDOR_API_KEY'] }),
    variables,
  )
  const choice = { provider: 'vendor', model: 'm' }
  await expect(models.model(choice)).rejects.toMatchObject({ code: 'ENV_MISSING', params: { name: 'VENDOR_API_KEY', file: '/home/.env' } })
  variables.VENDOR_API_KEY = key
  expect((await models.model(choice)).model).toBe('m')
  await expect(models.model({ provider: 'vendr', model: 'm' })).rejects.toMatchObject({
    code: 'PROVIDER_UNKNOWN',
    params: { nearest: 'vendor' },
  })
})

test('address and key that come with a model hold before the variables: a key of the environment does not go to that address', async () => {
  await using own = await startFakeOpenai({ models: ['m'] })
  const variables = { VENDOR_API_KEY: key, VENDOR_BASE_URL: 'http://127.0.0.1:1' }
  const provider = createProvider({
    ...{ id: 'vendor', protocol: 'openai-chat', baseUrl: 'http://127.0.0.1:1' },
    ...{ keyEnv: ['VENDOR_API_KEY'], baseUrlEnv: 'VENDOR_BASE_URL' },
  })
  const settings = { provider: 'vendor', base_url: own.url, api_key: 'sk-own' }
  const chat = await createModels(provider, variables).model({ provider: 'vendor', model: 'm', settings })
  expect((await collect(chat.stream(createRequest(), createTestCall()))).at(-1)).toMatchObject({ type: 'end' })
  expect(own.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-own'])
})

const refused = Object.entries(refusals).map(([kind, [status, message, code]]) => [kind, status, message, code] as const)

test.each(refused)('%s: a refusal with status %i and "%s" ends the stream with %s', async (kind, status, message, code) => {
  await using server = await startFakeOpenai({ answers: [{ refuse: { status, message } }] })
  const provider = createProvider({ id: 'vendor', protocol: 'openai-chat', baseUrl: server.url, auth: 'optional-key' })
  const chat = await createModels(provider).model({ provider: 'vendor', model: 'fake-model' })
  const failure = lastFailure(await collect(chat.stream(createRequest(), createTestCall())))
  expect(failure).toMatchObject({ class: kind, error: { code, params: { provider: 'vendor', detail: message } } })
  expect(fromWireError(failure.error)).toMatchObject({ code, message: expect.stringContaining(message) })
})

test('a server that is not there is a broken connection with its reason', async () => {
  const provider = createProvider({ id: 'vendor', protocol: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1', auth: 'optional-key' })
  const chat = await createModels(provider).model({ provider: 'vendor', model: 'm' })
  const failure = lastFailure(await collect(chat.stream(createRequest(), createTestCall())))
  expect(failure).toMatchObject({ class: 'disconnected', error: { code: 'MODEL_DISCONNECTED' } })
})

test('a redirect is not followed: the key stays with the provider', async () => {
  await using server = await startFakeOpenai()
  const provider = createProvider({ id: 'vendor', protocol: 'openai-chat', baseUrl: 'http://vendor.test', keyEnv: ['VENDOR_API_KEY'] })
  const redirect: typeof fetch = async (_url, init) => {
    expect(init?.redirect).toBe('manual')
    return new Response(null, { status: 307, headers: { location: `${server.url}/chat/completions` } })
  }
  const chat = await createModels(provider, keyed, { fetch: redirect }).model({ provider: 'vendor', model: 'm' })
  expect(lastFailure(await collect(chat.stream(createRequest(), createTestCall())))).toMatchObject({ class: 'format_error' })
  expect(server.requests).toEqual([])
})

test('a web page instead of an answer is said to be one', async () => {
  const provider = createProvider({ id: 'vendor', protocol: 'openai-chat', baseUrl: 'http://vendor.test', auth: 'optional-key' })
  const page: typeof fetch = async () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
  const chat = await createModels(provider, {}, { fetch: page }).model({ provider: 'vendor', model: 'm' })
  const failure = lastFailure(await collect(chat.stream(createRequest(), createTestCall())))
  expect(failure).toMatchObject({ class: 'unknown', error: { params: { detail: expect.stringContaining('text/html') } } })
})

test('a provider with its own code is activated once and streams as it likes', async () => {
  let opened = 0
  const provider: Provider = {
    async open() {
      opened += 1
      return {
        async *stream(request) {
          yield { type: 'text', delta: request.model }
        },
      }
    },
  }
  const models = createModels(
    createProvider({ id: 'own', entry: 'dist/x.js', auth: 'none' }),
    {},
    {
      activator: { entry: async <T>() => provider as T },
      context: () => ({}) as never,
    },
  )
  const [one, other] = await Promise.all([models.model({ provider: 'own', model: 'a' }), models.model({ provider: 'own', model: 'b' })])
  expect(await collect(one.stream(createRequest(), createTestCall()))).toEqual([{ type: 'text', delta: 'a' }])
  expect(await collect(other.stream(createRequest(), createTestCall()))).toEqual([{ type: 'text', delta: 'b' }])
  expect(opened).toBe(1)
  await expect(models.list('own', createTestCall())).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})

test('a model can be asked with another address and another key, and both stay with it', async () => {
  await using other = await startFakeOpenai({ key: 'other' })
  await using usual = await startFakeOpenai({ key })
  const provider = createProvider({ id: 'vendor', protocol: 'openai-chat', baseUrl: usual.url, keyEnv: ['VENDOR_API_KEY'] })
  const models = createModels(provider)
  const settings = { provider: 'vendor', base_url: other.url, api_key: 'other' }
  for (const more of [{ settings }, {}]) {
    const choice = { provider: 'vendor', model: 'fake-model', ...more }
    if (!('settings' in choice)) await expect(models.model(choice)).rejects.toMatchObject({ code: 'ENV_MISSING' })
    else
      expect((await collect((await models.model(choice)).stream(createRequest(), createTestCall()))).at(-1)).toMatchObject({ type: 'end' })
  }
  expect([other.requests.length, usual.requests.length]).toEqual([1, 0])
})

test('sixteen models, each with a separate address, answer at once, and the process warns of no leak', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning)
  process.on('warning', onWarning)
  try {
    await using server = await startFakeOpenai({ answers: () => ({ text: 'I', hang: 'body' }) })
    const models = createModels(createProvider({ id: 'vendor', protocol: 'openai-chat', baseUrl: server.url, auth: 'none' }))
    const controllers = Array.from({ length: 16 }, () => new AbortController())
    const asked = controllers.map(async ({ signal }) => {
      const chat = await models.model({ provider: 'vendor', model: 'fake-model', settings: { provider: 'vendor', base_url: server.url } })
      return collect(chat.stream(createRequest(), { ...createTestCall(), signal }))
    })
    await expect.poll(() => server.requests.length, { timeout: 10_000 }).toBe(16)
    for (const controller of controllers) controller.abort()
    await Promise.all(asked)
    await models.close()
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', onWarning)
  }
})
