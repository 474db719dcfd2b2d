import type { Context } from '@agent/plugin-sdk'
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

async function paint(settings: Partial<Config> = {}, prompt = 'a rose', key = 'k'): Promise<string> {
  const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }
  const config = schema.parse({ base_url: `${server.url}/v1beta/`, ...settings })
  const context = { config, secrets: { get: async () => key }, fetch: (url: string, init?: RequestInit) => fetch(url, init) }
  const source = await backend.open(context as unknown as Context<Config>, call)
  const pieces: Uint8Array[] = []
  took = []
  for await (const piece of source.generate({ prompt, shape: 'portrait' }, call)) {
    if (piece instanceof Uint8Array) pieces.push(piece)
    else took.push(piece)
  }
  return Buffer.concat(pieces).toString('base64')
}

test('the model is asked for a picture of a shape, and the words beside it are left', async () => {
  expect(await paint()).toBe(pixel)
  expect(took).toEqual([{ input: 4, output: 1150 }])
  expect(JSON.parse(new TextDecoder().decode(server.journal.at(-1)?.body))).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'a rose' }] }],
    generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '2:3' } },
  })
})

test('the service says why it does not paint', async () => {
  await expect(paint({}, 'a forbidden rose')).rejects.toThrow(/refuses it \(PROHIBITED_CONTENT\)/)
  await expect(paint({}, 'an unsafe rose')).rejects.toThrow(/refuses it \(IMAGE_SAFETY\)/)
  await expect(paint({ model: 'gemini-2.5-flash' })).rejects.toThrow(/models\/gemini-2.5-flash is not found/)
  await expect(paint({}, 'a rose', 'wrong')).rejects.toMatchObject({ code: 'ENV_INVALID' })
})

test.each([
  ['drop', { type: 'drop' }, /socket|closed|reset|fetch failed|hung up/i],
  ['a status', { type: 'status', status: 503, body: '<html>' }, /answered 503/],
  [
    'words alone',
    { type: 'status', status: 200, body: '{"candidates":[{"content":{"parts":[{"text":"I cannot."}]},"finishReason":"STOP"}]}' },
    /I cannot/,
  ],
  ['nothing', { type: 'status', status: 200, body: '{}' }, /holds no picture/],
] as const)('%s is a failure with a code', async (_name, fault, words) => {
  server.breakNext(fault)
  await expect(paint()).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: expect.stringMatching(words) })
})
