import type { Context, ImageShape } from '@agent/plugin-sdk'
import type { FakeServer } from '@agent/plugin-sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPainter, pixel } from '../test/server.ts'
import { type Config, config as schema } from './config.ts'
import backend from './paint.ts'
import type { Took } from './wire.ts'

let server: FakeServer
let took: Took[] = []
beforeAll(async () => {
  server = await openPainter('k')
})
afterAll(() => server[Symbol.asyncDispose]())

async function paint(settings: Partial<Config> = {}, prompt = 'a rose', shape: ImageShape = 'landscape'): Promise<string> {
  const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }
  const config = schema.parse({ base_url: `${server.url}/v1/`, ...settings })
  const context = { config, secrets: { get: async () => 'k' }, fetch: (url: string, init?: RequestInit) => fetch(url, init) }
  const source = await backend.open(context as unknown as Context<Config>, call)
  const pieces: Uint8Array[] = []
  took = []
  for await (const piece of source.generate({ prompt, shape }, call)) {
    if (piece instanceof Uint8Array) pieces.push(piece)
    else took.push(piece)
  }
  return Buffer.concat(pieces).toString('base64')
}

const asked = (): unknown => JSON.parse(new TextDecoder().decode(server.journal.at(-1)?.body))

test('each family of models is asked with the words that it knows', async () => {
  expect(await paint()).toBe(pixel)
  expect(took).toEqual([{ input: 10, output: 1056 }])
  expect(asked()).toEqual({ model: 'gpt-image-2', prompt: 'a rose', size: '1536x1024', n: 1 })
  expect(await paint({ model: 'dall-e-3', quality: 'high' }, 'a rose', 'portrait')).toBe(pixel)
  expect(asked()).toEqual({ model: 'dall-e-3', prompt: 'a rose', size: '1024x1792', n: 1, response_format: 'b64_json' })
  await paint({ quality: 'low' }, 'a rose', 'square')
  expect(asked()).toMatchObject({ quality: 'low', size: '1024x1024' })
})

test('the service says why it does not paint', async () => {
  await expect(paint({}, 'a forbidden rose')).rejects.toMatchObject({ message: expect.stringMatching(/rejected by the safety system/) })
  await expect(paint({ model: 'nothing' })).rejects.toMatchObject({ message: expect.stringMatching(/'nothing' does not exist/) })
})

test.each([
  ['drop', { type: 'drop' }, /socket|closed|reset|fetch failed|hung up/i],
  ['a status', { type: 'status', status: 503, body: '<html>' }, /answered 503/],
  ['no picture', { type: 'status', status: 200, body: '{"data":[{"url":"https://x.example"}]}' }, /holds no picture/],
] as const)('%s is a failure with a code', async (_name, fault, words) => {
  server.breakNext(fault)
  await expect(paint()).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: expect.stringMatching(words) })
})
