import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { manifestSchema } from '@agent/plugin-sdk'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { openModels } from '#models/open.ts'
import { createProvider } from '#models/testing/model-call.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createWindows } from './window.ts'

interface Rig extends AsyncDisposable {
  readonly url: string
  readonly asked: string[]
  answers: Readonly<Record<string, unknown>>
}

/** A server that says this at these paths, and has no others. */
async function openServer(answers: Rig['answers']): Promise<Rig> {
  const server = createServer((request, response) => {
    rig.asked.push(request.url ?? '')
    const said = rig.answers[request.url ?? '']
    if (typeof said === 'function') return void said(response)
    response.writeHead(said === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(said ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const rig: Rig = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: [],
    answers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return rig
}

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** The model of a bundled provider, at another address. */
async function open(provider: string, url: string, name: string) {
  const manifest = readFileSync(new URL(`../../../../plugins/providers/${provider}/agent.plugin.json`, import.meta.url), 'utf8')
  const [spec] = manifestSchema.parse(JSON.parse(manifest)).contributes.providers
  const models = openModels({
    catalog: { of: () => [createProvider({ id: provider, ...spec, baseUrl: url, auth: 'none' })] },
    activator: { entry: <T>() => Promise.reject<T>(new Error('no code here')) },
    context: () => Promise.reject(new Error('no code here')),
    ...{ config: { model: {} }, environment: { get: () => undefined }, environmentFile: '/home/.env' },
    ...{ clock: systemClock, log: silentLog, timeoutMs: 900_000, newCallId: () => 'call_made' },
  })
  closers.push(models.close)
  return await models.model({ provider, model: name })
}

const { signal } = new AbortController()

test.each([
  ['llamacpp', { '/props': { default_generation_settings: { n_ctx: 4096 }, total_slots: 1 } }],
  [
    'ollama',
    {
      '/api/ps': {
        models: [
          { model: 'other:latest', context_length: 1 },
          { model: 'm:latest', context_length: 4096 },
        ],
      },
    },
  ],
  ['lmstudio', { '/api/v0/models': { data: [{ id: 'm', state: 'loaded', max_context_length: 131_072, loaded_context_length: 4096 }] } }],
  ['vllm', { '/v1/models': { object: 'list', data: [{ id: 'm', object: 'model', max_model_len: 4096 }] } }],
])('%s says how many tokens a model takes as it runs there, and that holds before what the model could take', async (provider, answers) => {
  await using server = await openServer(answers)
  const model = await open(provider, server.url, 'm')
  const windows = createWindows({ of: async () => ({ context: 131_072 }) })
  expect(await windows.of(model)).toBe(131_072)
  expect(await windows.of(model, signal)).toBe(4096)
  expect(await windows.of(model, signal)).toBe(4096)
  expect(server.asked).toEqual(Object.keys(answers))
  // Where only the name is known, what was told before holds.
  expect(await windows.of({ provider, model: 'm' })).toBe(4096)
})

test('a server that does not say is asked a few times, since it may have to load the model first; what it says may be more than what is usual', async () => {
  await using server = await openServer({ '/api/ps': { models: [] } })
  const windows = createWindows({ of: async () => undefined })
  const model = await open('ollama', server.url, 'm')
  expect(await windows.of(model, signal)).toBe(128_000)
  server.answers = { '/api/ps': { models: [{ model: 'm', context_length: 262_144 }] } }
  expect(await windows.of(model, signal)).toBe(262_144)
  const silent = await open('llamacpp', server.url, 'm')
  for (let time = 0; time < 5; time++) expect(await windows.of(silent, signal)).toBe(128_000)
  expect(server.asked.filter((path) => path === '/props')).toHaveLength(3)
})

test('nonsense and a server that is gone are no answer, and who interrupts does not wait', async () => {
  const server = await openServer({ '/props': { default_generation_settings: { n_ctx: 'many' } } })
  const model = await open('llamacpp', server.url, 'm')
  expect(await model.window?.(signal)).toBeUndefined()
  await server[Symbol.asyncDispose]()
  expect(await model.window?.(signal)).toBeUndefined()
  await expect(model.window?.(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
})

const sized = (tokens: unknown) => ({ '/props': { default_generation_settings: { n_ctx: tokens } } })

test.each([1e308, -1, 0, 1, 511, 4096.5, '4096', [4096], null, true])('%j is no number of tokens', async (tokens) => {
  await using server = await openServer(sized(tokens))
  expect(await (await open('llamacpp', server.url, 'm')).window?.(signal)).toBeUndefined()
})

test('a server that talks without an end is left, and one that sends on is not followed', async () => {
  let sent = 0
  let gone = false
  const endless = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"default_generation_settings":{"n_ctx":4096},"x":"')
    const piece = 'x'.repeat(1024 * 1024)
    const more = (): void => {
      if (gone || sent >= 64) return void response.end('"}')
      sent++
      response.write(piece, more)
    }
    response.once('close', () => {
      gone = true
    })
    more()
  }
  await using server = await openServer({ '/props': endless })
  const model = await open('llamacpp', server.url, 'm')
  expect(await model.window?.(signal)).toBeUndefined()
  expect(sent).toBeLessThan(64)
  await using other = await openServer(sized(4096))
  server.answers = {
    '/props': (response: ServerResponse) => response.writeHead(302, { location: `${new URL(other.url).origin}/props` }).end(),
  }
  expect(await model.window?.(signal)).toBeUndefined()
  expect(other.asked).toEqual([])
})

test('other providers are not asked', async () => {
  expect((await open('openai', 'http://127.0.0.1:9/v1', 'gpt-5')).window).toBeUndefined()
})
