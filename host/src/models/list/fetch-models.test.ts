import { expect, test } from 'vitest'
import { startFakeBedrock } from '../../../../test/support/fakes/fake-bedrock.ts'
import { startFakeGemini } from '../../../../test/support/fakes/fake-gemini.ts'
import { startFakeVendor } from '../../../../test/support/fakes/fake-vendor.ts'
import { createDeps } from '../testing/model-call.ts'
import { fetchModels } from './fetch-models.ts'

const never = new AbortController().signal

test('every page of a list is read, and models that cannot answer are left out', async () => {
  await using server = await startFakeGemini({ models: ['gemini-b', 'gemini-c', 'gemini-a'] })
  const { endpoint } = createDeps({ baseUrl: server.url, protocol: 'gemini-generate' })
  expect(await fetchModels(endpoint, undefined, never)).toEqual(['gemini-a', 'gemini-b', 'gemini-c'])
  expect(server.requests.map(({ query }) => query)).toEqual(['pageSize=100', 'pageSize=100&pageToken=1', 'pageSize=100&pageToken=2'])
})

test('a list that never ends is cut, and what is no list is told', async () => {
  const serve = (models: object) =>
    startFakeVendor({}, () => ({
      dialect: {
        check: () => undefined,
        refuse: () => ({ status: 500, body: {} }),
        stream: () => ({ begin: [], rest: [] }),
        whole: () => ({}),
      },
      isKey: () => true,
      models: { ...models },
    }))
  await using endless = await serve({ models: [{ name: 'models/one' }], nextPageToken: 'again' })
  const { endpoint } = createDeps({ baseUrl: endless.origin, protocol: 'gemini-generate' })
  expect(await fetchModels(endpoint, undefined, never)).toEqual(['one'])
  expect(endless.requests.length).toBe(50)
  await using strange = await serve({ items: [] })
  await expect(fetchModels({ ...endpoint, baseUrl: strange.origin }, undefined, never)).rejects.toThrow('cannot be read')
})

test('Bedrock tells models and profiles in two lists; what must be bought before or does not stream is left out', async () => {
  await using server = await startFakeBedrock({ models: ['nova', 'us.claude', 'eu.claude'] })
  const { endpoint } = createDeps({ baseUrl: server.url, protocol: 'bedrock-converse' })
  expect(await fetchModels(endpoint, undefined, never)).toEqual(['eu.claude', 'nova', 'us.claude'])
  expect(server.requests.map(({ path, query }) => `${path}?${query}`)).toEqual([
    '/foundation-models?byOutputModality=TEXT',
    '/inference-profiles?maxResults=1000',
    '/inference-profiles?maxResults=1000&nextToken=2',
  ])
})

type Row = Record<string, unknown>
const listOf = async (
  protocol: 'openai-chat' | 'anthropic-messages' | 'gemini-generate' | 'bedrock-converse',
  baseUrl: string,
  answers: readonly unknown[],
) => {
  const asked: string[] = []
  const watched = (async (url: URL) => {
    asked.push(url.href)
    return Response.json(answers[asked.length - 1] ?? null)
  }) as unknown as typeof fetch
  const { endpoint } = createDeps({ baseUrl, protocol })
  const listed = await fetchModels(endpoint, watched, never).catch((error: Error) => error.message)
  return { listed, asked }
}

test.each([
  ['openai-chat', 'https://x.test/v1', 'https://x.test/v1/models'],
  ['anthropic-messages', 'https://x.test', 'https://x.test/v1/models?limit=1000'],
  ['anthropic-messages', 'https://x.test/v1', 'https://x.test/v1/models?limit=1000'],
  ['anthropic-messages', 'https://x.test/v1beta', 'https://x.test/v1beta/v1/models?limit=1000'],
] as const)('%s at %s lists its models at %s, and rows without a name are passed over', async (protocol, baseUrl, expected) => {
  const { listed, asked } = await listOf(protocol, baseUrl, [{ data: [{ id: 'b' }, { id: 7 }, 'row', null, { id: 'a' }] }])
  expect([listed, asked]).toEqual([['a', 'b'], [expected]])
})

test("Bedrock's lists are at another host than its models, and a model that says nothing of itself is left out", async () => {
  const models: Row[] = [
    { modelId: 'a', inferenceTypesSupported: ['ON_DEMAND'], responseStreamingSupported: true },
    { modelId: 'b', responseStreamingSupported: true },
    { modelId: 'c', inferenceTypesSupported: 'ON_DEMAND' },
  ]
  const profiles = { inferenceProfileSummaries: [{ inferenceProfileId: 'p' }, {}], nextToken: null }
  const { listed, asked } = await listOf('bedrock-converse', 'https://bedrock-runtime.eu-west-1.amazonaws.com', [
    { modelSummaries: models },
    profiles,
  ])
  expect(listed).toEqual(['a', 'p'])
  expect(asked.map((url) => new URL(url).host)).toEqual(Array(2).fill('bedrock.eu-west-1.amazonaws.com'))
})

test.each([
  ['gemini-generate', { models: 'x' }],
  ['gemini-generate', null],
  ['bedrock-converse', { modelSummaries: 'x' }],
  ['bedrock-converse', null],
  ['openai-chat', null],
] as const)('%s with the list %j is told as one that cannot be read', async (protocol, answer) => {
  expect((await listOf(protocol, 'https://x.test', [answer])).listed).toContain('cannot be read')
})

test('names of tuned and published models are their last part, and an empty token is the last page', async () => {
  const answer = { models: [{ name: 'models/a' }, { name: 'publishers/google/models/b' }], nextPageToken: '' }
  expect(await listOf('gemini-generate', 'https://x.test', [answer])).toMatchObject({ listed: ['a', 'b'], asked: { length: 1 } })
})

test('a server that is gone is told as such, and giving up says so', async () => {
  const { endpoint } = createDeps({ baseUrl: 'http://127.0.0.1:1' })
  await expect(fetchModels(endpoint, undefined, never)).rejects.toMatchObject({
    code: 'MODEL_DISCONNECTED',
    params: { detail: expect.stringContaining('ECONNREFUSED') },
  })
  await expect(fetchModels(endpoint, undefined, AbortSignal.abort(new Error('gave up')))).rejects.toThrow('gave up')
})
