import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeClock, type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type OwnFact, openFacts } from './facts.ts'
import { fetchFacts } from './fetch-facts.ts'
import { formatFact } from './format-fact.ts'
import { createLongestAnswer } from './longest-answer.ts'
import { openPrices } from './price-list.ts'
import { createSeesImages } from './sees-images.ts'

const signal = new AbortController().signal
const clock = createFakeClock(Date.UTC(2026, 10, 24))

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'facts-'))
  file = join(folder, 'model-catalog.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

let server: FakeServer
let reply: { status: number; body: string }
beforeAll(async () => {
  server = await openFakeServer(() => reply)
})
afterAll(() => server[Symbol.asyncDispose]())

const fetched = (body: unknown, status = 200) => {
  reply = { status, body: typeof body === 'string' ? body : JSON.stringify(body) }
  return fetchFacts({ source: server.url, fetch, clock, signal })
}

const factsOf = (models: readonly OwnFact[] = []) => openFacts({ file, loaded: { config: { models } } })

const sharp = {
  modalities: { input: ['text', 'image'], output: ['text'] },
  limit: { context: 200_000, output: 8192 },
  cost: { input: 3, output: 15, cache_read: 0.3, context_over_200k: { input: 6, output: 22 } },
}

test('a published catalog is fetched, under our names of providers and with what is read of it alone', async () => {
  const facts = await fetched({
    google: { id: 'google', models: { sharp: { ...sharp, name: 'Sharp' } } },
    far: { models: { old: { status: 'deprecated', cost: { input: 1 } } } },
  })
  writeFileSync(file, JSON.stringify(facts))
  const opened = factsOf()
  expect(await opened.about()).toEqual({ asOf: '2026-11-24', source: server.url })
  expect(await opened.of('gemini', 'sharp')).toEqual({
    ...{ context: 200_000, output: 8192, input: ['text', 'image'] },
    cost: { input: 3, output: 15, cacheRead: 0.3, long: { input: 6, output: 22 } },
  })
  expect(await opened.of('far', 'old')).toEqual({ isDeprecated: true })
  expect([await opened.of('far', 'toString'), await opened.of('nobody', 'm')]).toEqual([undefined, undefined])
})

test.each<[string, unknown, number, RegExp]>([
  ['a service that is down', 'down', 503, /it answered 503/],
  ['what is no JSON', '<html>', 200, /it has not the form/],
  ['another form', { far: { models: [] } }, 200, /it has not the form/],
  ['an empty one', { far: { models: {} } }, 200, /it names no model/],
  ['one without end', 'x'.repeat(20 * 1024 * 1024 + 1), 200, /more than 20 MiB/],
])('%s is refused', async (_name, body, status, words) => {
  await expect(fetched(body, status)).rejects.toMatchObject({ code: 'CATALOG_UNREADABLE', message: expect.stringMatching(words) })
})

test('a fetch that is given up, or takes too long, ends', async () => {
  const silent: typeof fetch = (_url, init) =>
    new Promise((_done, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  const controller = new AbortController()
  const given = fetchFacts({ source: 'http://a.example', fetch: silent, clock, signal: controller.signal }).catch((error: unknown) => error)
  controller.abort(new Error('given up'))
  expect(await given).toMatchObject({ message: 'given up' })
  const late = fetchFacts({ source: 'http://a.example', fetch: silent, clock, signal }).catch((error: unknown) => error)
  await clock.advance(60_000)
  expect(await late).toMatchObject({ code: 'CATALOG_UNREADABLE' })
})

test('no file, a broken one and one that appears later are all taken as they are', async () => {
  const opened = factsOf()
  expect([await opened.about(), await opened.of('far', 'm')]).toEqual([undefined, undefined])
  writeFileSync(file, '{ "asOf": 1 }')
  utimesSync(file, 1, 1)
  expect(await opened.about()).toBeUndefined()
  writeFileSync(file, JSON.stringify({ asOf: '2026-11-01', source: 's', models: { far: { m: { context: 5 } } } }))
  utimesSync(file, 2, 2)
  expect(await opened.of('far', 'm')).toEqual({ context: 5 })
})

test.each<[string, boolean | undefined]>([
  ['deepseek-chat', false],
  ['deepseek/deepseek-chat-v3', false],
  ['llama3.3:70b', false],
  ['llama3.2-vision', undefined],
  ['gpt-oss-120b', false],
  ['gpt-5', undefined],
  ['glm-4.5v', undefined],
  ['kimi-k2-0905', false],
  ['kimi-k2.5', undefined],
])('by its name %s sees: %s', async (model, sees) => {
  expect(await createSeesImages({ of: async () => undefined })({ provider: 'far', model })).toBe(sees)
})

test('what a catalog says of pictures holds before the name, and its prices before the list', async () => {
  const facts = {
    of: async (_provider: string, model: string) =>
      model === 'gpt-oss' ? { input: ['image'] } : { input: ['text'], cost: { input: 1, output: 2 } },
  }
  const sees = createSeesImages(facts)
  expect([await sees({ provider: 'far', model: 'gpt-oss' }), await sees({ provider: 'far', model: 'gpt-5' })]).toEqual([true, false])
  const own = [{ provider: 'openai', model: 'own', input: 7, output: 8 }]
  const about = async () => ({ asOf: '2026-11-24', source: 's' })
  const prices = openPrices({ loaded: { config: { prices: own } }, catalog: { find: () => undefined }, facts: { ...facts, about } })
  expect(await prices.of('openai', 'gpt-4o', '2026-11-24')).toEqual({ input: 1, output: 2 })
  expect(await prices.of('openai', 'gpt-4o', '2026-11-23')).toMatchObject({ input: 2.5 })
  expect(await prices.of('openai', 'new', '2026-11-23')).toEqual({ input: 1, output: 2 })
  expect(await prices.of('openai', 'own', '2026-11-24')).toMatchObject({ input: 7, output: 8 })
})

test('what a person has written down of a model holds before the catalog, each part for itself', async () => {
  writeFileSync(
    file,
    JSON.stringify({ asOf: '2026-11-01', source: 's', models: { far: { m: { context: 5, output: 3, input: ['text'] } } } }),
  )
  const own = factsOf([
    { provider: 'far', model: 'm', output: 4, input: ['text', 'image'] },
    { provider: 'custom', model: 'my-*', context: 8192 },
  ])
  expect(await own.of('far', 'm')).toEqual({ context: 5, output: 4, input: ['text', 'image'] })
  expect([await own.of('custom', 'my-model'), await own.of('custom', 'other')]).toEqual([{ context: 8192 }, undefined])
  expect(await createSeesImages(own)({ provider: 'far', model: 'm' })).toBe(true)
  const longest = createLongestAnswer(own)
  expect([await longest('far', 'm'), await longest('openai', 'gpt-4o-mini'), await longest('far', 'new')]).toEqual([4, 16_384, undefined])
})

test('a fact is one sentence of what is known', () => {
  expect(formatFact(undefined)).toBeUndefined()
  expect(formatFact({})).toBeUndefined()
  expect(formatFact({ context: 200_000, output: 8192, input: ['text', 'image'], cost: { input: 3, output: 15 } })).toBe(
    'It has: 200,000 tokens of context, answers of up to 8,192 tokens, sees pictures, $3 in and $15 out for a million tokens.',
  )
  expect(formatFact({ input: ['text'], isDeprecated: true })).toBe('It has: sees no pictures, its vendor has announced its end.')
})
