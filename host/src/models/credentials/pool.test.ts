import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProviderManifest } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeAuthFile, readAuthFile } from '#config/auth/auth-file.ts'
import { systemClock } from '#kernel/clock.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import type { FakeAnswer, FakeRequest, FakeVendor } from '../../../../test/support/fakes/fake-vendor.ts'
import { openModels } from '../open.ts'
import { collect, createProvider, createRequest, createTestCall } from '../testing/model-call.ts'
import { openCredentials } from './open-credentials.ts'
import type { PoolStrategy } from './pool.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pool-'))
  file = join(folder, 'auth.json')
  clock.off = 0
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const { signal } = new AbortController()
const clock = { off: 0, now: () => 1_800_000_000_000 + clock.off, sleep: systemClock.sleep }
const silent = { debug() {}, info() {}, warn() {}, error() {} }

function keep(provider: string, ...keys: readonly string[]): void {
  const rows = keys.map((key) => ({ key, at: 1 }))
  changeAuthFile(file, (data) => ({ data: { ...data, keys: { ...data.keys, [provider]: rows } }, result: undefined }))
}

interface Pool {
  readonly strategy?: PoolStrategy
  readonly spec?: Partial<ProviderManifest>
  readonly variables?: Record<string, string>
  readonly fetch?: typeof fetch
  readonly settings?: { readonly provider: string; readonly base_url?: string; readonly api_key?: string }
}

function open(url: string, { strategy = 'fill_first', spec = {}, variables = { FAKE_API_KEY: 'key-own' }, settings, fetch }: Pool = {}) {
  const provider = createProvider({
    ...{ id: 'fake', protocol: 'openai-chat', baseUrl: url, keyEnv: ['FAKE_API_KEY'], baseUrlEnv: 'FAKE_BASE_URL', ...spec },
  })
  const models = openModels({
    catalog: { of: () => [provider] },
    activator: { entry: <T>() => Promise.reject<T>(new Error('no code here')) },
    context: () => Promise.reject(new Error('no code here')),
    config: { model: {} },
    environment: { get: (name) => variables[name] },
    environmentFile: '/home/.env',
    credential: openCredentials({
      ...{ files: [file], loggedIn: () => new Set(Object.keys(readAuthFile(file).keys)), clock, signal, random: () => 0.5 },
      ...{ strategyOf: () => strategy, keepSecret: () => undefined },
    }),
    fetch,
    ...{ clock, log: silent, timeoutMs: 900_000, newCallId: () => 'call_made' },
  })
  return async () => {
    const chat = await models.model({ provider: 'fake', model: 'fake-model', ...(settings ? { settings } : {}) })
    return (await collect(chat.stream(createRequest(), createTestCall()))).at(-1)
  }
}

const keyOf = ({ headers }: FakeRequest): string => String(headers.authorization ?? headers['x-api-key']).replace('Bearer ', '')
const sent = (vendor: FakeVendor): readonly string[] => vendor.requests.map(keyOf)
const refuse = (status: number, headers: Record<string, string> = {}): FakeAnswer => ({ refuse: { status, message: 'no', headers } })
/** Answers, but for some keys. */
const refusing = (keys: Readonly<Record<string, FakeAnswer>>) => ({
  answers: (request: FakeRequest): FakeAnswer => keys[keyOf(request)] ?? { text: 'Yes.' },
})

const ways: Readonly<Record<PoolStrategy, readonly string[]>> = {
  fill_first: ['key-own', 'key-own', 'key-own', 'key-own'],
  round_robin: ['key-own', 'key-b', 'key-c', 'key-own'],
  least_used: ['key-own', 'key-b', 'key-c', 'key-own'],
  random: ['key-b', 'key-b', 'key-b', 'key-b'],
  quota_aware: ['key-own', 'key-own', 'key-own', 'key-own'],
}
test.each(Object.entries(ways) as [PoolStrategy, readonly string[]][])('%s takes the keys in its own order', async (strategy, order) => {
  await using vendor = await startFakeOpenai({})
  keep('fake', 'key-b', 'key-c')
  const ask = open(vendor.url, { strategy })
  for (const _ of order) expect(await ask()).toMatchObject({ type: 'end' })
  expect(sent(vendor)).toEqual(order)
})

test('a key without credit, and one that is refused, rest at once; another answers in the same call, and after a restart too', async () => {
  await using vendor = await startFakeOpenai(refusing({ 'key-own': refuse(402), 'key-b': refuse(401) }))
  keep('fake', 'key-b', 'key-c')
  expect(await open(vendor.url)()).toMatchObject({ type: 'end' })
  expect(sent(vendor)).toEqual(['key-own', 'key-b', 'key-c'])
  const ask = open(vendor.url)
  expect(await ask()).toMatchObject({ type: 'end' })
  clock.off = 5 * 60_000 + 1
  await ask()
  clock.off += 60 * 60_000
  await ask()
  expect(sent(vendor).slice(3)).toEqual(['key-c', 'key-b', 'key-c', 'key-own', 'key-b', 'key-c'])
})

test('a limit is waited for once; a second one in a row, or one that is told to last, lets the key rest', async () => {
  await using vendor = await startFakeOpenai(refusing({ 'key-own': refuse(429), 'key-b': refuse(429, { 'retry-after': '30' }) }))
  keep('fake', 'key-b', 'key-c')
  const ask = open(vendor.url)
  expect(await ask()).toMatchObject({ class: 'rate_limit' })
  expect(await ask()).toMatchObject({ type: 'end' })
  expect(sent(vendor)).toEqual(['key-own', 'key-own', 'key-b', 'key-c'])
  clock.off = 30_001
  await ask()
  expect(sent(vendor).slice(4)).toEqual(['key-b', 'key-c'])
})

test('where all rest, the call says why and until when, and nothing is sent', async () => {
  await using vendor = await startFakeOpenai({ answers: [refuse(429, { 'retry-after': '600' })] })
  keep('fake', 'key-b')
  const ask = open(vendor.url)
  expect(await ask()).toMatchObject({ class: 'rate_limit' })
  clock.off = 1000
  expect(await ask()).toMatchObject({
    class: 'rate_limit',
    error: { code: 'MODEL_RATE_LIMIT', retryAfterMs: 599_000, params: { detail: expect.stringContaining('agent auth reset fake') } },
  })
  expect(sent(vendor)).toEqual(['key-own', 'key-b'])
})

test('what no other key mends lets no key rest', async () => {
  for (const status of [400, 403, 500, 503]) {
    await using vendor = await startFakeOpenai({ answers: [refuse(status)] })
    keep('fake', 'key-b')
    expect(await open(vendor.url)()).toMatchObject({ type: 'failed' })
    expect([status, sent(vendor), readAuthFile(file).rests]).toEqual([status, ['key-own'], {}])
  }
})

test('each key is seen by its own host alone: another address gets what was set for it, and a plan has its own keys', async () => {
  await using home = await startFakeOpenai({ answers: [refuse(401)] })
  await using plan = await startFakeOpenai({ answers: [refuse(401)] })
  await using other = await startFakeOpenai({ answers: [refuse(401)] })
  keep('fake', 'key-b', 'plan-c')
  const spec = { baseUrlOfKeys: [{ prefix: 'plan-', baseUrl: plan.url }] }
  await open(home.url, { spec })()
  await open(home.url, { spec, variables: { FAKE_API_KEY: 'plan-own' } })()
  await open(home.url, { spec, variables: { FAKE_API_KEY: 'key-other', FAKE_BASE_URL: other.url } })()
  await open(home.url, { spec, settings: { provider: 'fake', base_url: other.url, api_key: 'key-given' } })()
  expect([sent(home), sent(plan), sent(other)]).toEqual([
    ['key-own', 'key-b'],
    ['plan-own', 'plan-c'],
    ['key-other', 'key-given'],
  ])
})

test('a key that was given with a model goes alone', async () => {
  await using vendor = await startFakeOpenai({ answers: [refuse(401)] })
  keep('fake', 'key-b')
  expect(await open(vendor.url, { settings: { provider: 'fake', api_key: 'key-given' } })()).toMatchObject({ class: 'auth' })
  expect([sent(vendor), readAuthFile(file).rests]).toEqual([['key-given'], {}])
})

test('stored keys alone are enough, in the way of the protocol, and one that is added later is taken', async () => {
  const { startFakeAnthropic } = await import('../../../../test/support/fakes/fake-anthropic.ts')
  await using vendor = await startFakeAnthropic({ models: ['fake-model'] })
  keep('fake', 'key-a')
  const ask = open(vendor.url, { spec: { protocol: 'anthropic-messages' }, variables: {}, strategy: 'round_robin' })
  expect(await ask()).toMatchObject({ type: 'end' })
  keep('fake', 'key-a', 'key-b')
  await ask()
  expect(vendor.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['key-a', 'key-b'])
})

/** A service that tells in the head of its answers what is left of each key's limit. */
const telling = (heads: Record<string, Record<string, string>>): typeof fetch =>
  async function told(url, init) {
    const reply = await fetch(url, init)
    const key = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? ''
    const headers = new Headers([...reply.headers, ...Object.entries(heads[key] ?? {})])
    return new Response(reply.body, { status: reply.status, headers })
  }

test('quota_aware leaves a key of which little is left, comes back to it in the next window, and takes the fullest where all run out', async () => {
  await using vendor = await startFakeOpenai({})
  keep('fake', 'key-b')
  const left = (tokens: number) => ({ 'x-ratelimit-limit-tokens': '1000', 'x-ratelimit-remaining-tokens': `${tokens}` })
  const heads = {
    'key-own': { ...left(900), 'x-ratelimit-limit-requests': '100', 'x-ratelimit-remaining-requests': '19' },
    'key-b': left(200),
  }
  const ask = open(vendor.url, { strategy: 'quota_aware', fetch: telling(heads) })
  for (let calls = 0; calls < 3; calls++) await ask()
  heads['key-b'] = left(150)
  await ask()
  await ask()
  clock.off = 60_001
  await ask()
  expect(sent(vendor)).toEqual(['key-own', 'key-b', 'key-b', 'key-b', 'key-own', 'key-own'])
})
