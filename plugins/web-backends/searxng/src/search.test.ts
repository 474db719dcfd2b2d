import type { WebBackend, WebHit } from '@agent/plugin-sdk'
import type { FakeServer } from '@agent/plugin-sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSearxng } from '../test/server.ts'
import backend from './search.ts'

let server: FakeServer
beforeAll(async () => {
  server = await openSearxng()
})
afterAll(() => server[Symbol.asyncDispose]())

async function search(address: string, query = 'two words & more', most = 5): Promise<readonly WebHit[]> {
  const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }
  const secrets = { get: async () => address }
  const context = { secrets, fetch: (url: string, init?: RequestInit) => fetch(url, init) } as unknown as Parameters<WebBackend['open']>[0]
  const source = await backend.open(context, call)
  return (await source.search?.({ query, most }, call)) ?? []
}

test('the server is asked for JSON, and each page comes once', async () => {
  const hits = await search(`${server.url}/`)
  expect(hits.map(({ url }) => url)).toEqual(['https://a.example/one', 'https://b.example/two', 'https://c.example/three'])
  expect(hits[0]).toEqual({ url: 'https://a.example/one', title: 'About two words & more', excerpt: 'Words.' })
  expect(server.journal.at(-1)?.url).toBe('/search?q=two+words+%26+more&format=json')
  expect(await search(`${server.url}/below/a/path/`, 'x', 1)).toHaveLength(1)
})

test.each([
  ['/html', /add json to search.formats/],
  ['/limited', /limiter.toml/],
])('at %s the answer says what to change', async (place, words) => {
  await expect(search(server.url + place)).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: expect.stringMatching(words) })
})

test.each([
  ['drop', { type: 'drop' }, /cannot be reached/],
  ['status', { type: 'status', status: 500, body: 'no' }, /answered 500/],
  ['no JSON', { type: 'status', status: 200, body: '<!DOCTYPE html>' }, /no result of SearXNG/],
  ['other JSON', { type: 'status', status: 200, body: '{}' }, /no result of SearXNG/],
] as const)('%s is a failure with a code', async (_name, fault, words) => {
  server.breakNext(fault)
  await expect(search(server.url)).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: expect.stringMatching(words) })
})

test.each(['searx.example', 'ftp://searx.example', 'https://me:word@searx.example'])('the address %s is refused', async (address) => {
  await expect(search(address)).rejects.toMatchObject({ code: 'ENV_INVALID' })
})
