import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ModelEvent, type ModelRequest, manifestSchema, type ProviderContext } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { startFakeAnthropic } from '../../../../test/support/fakes/fake-anthropic.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import { configOf } from '../test/trial.ts'
import provider from './bridge.ts'
import type { BridgeConfig } from './config.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
const callOf = (signal = new AbortController().signal) => ({ id: 'call', signal, deadline: 60_000 })

async function openBridge(config: BridgeConfig, secrets: Record<string, string> = { AI_SDK_API_KEY: 'key-0123456789' }) {
  const host = openTestContext({ manifest, contribution: 'bridge-ai-sdk', config, secrets })
  const source = await provider.open(host.context as ProviderContext<BridgeConfig>, callOf())
  const ask = async (request: Partial<ModelRequest> = {}, signal?: AbortSignal): Promise<readonly ModelEvent[]> => {
    const events: ModelEvent[] = []
    const messages = [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }] as const
    const whole: ModelRequest = { model: 'acme/small', system: 'Be kind.', session: 'ses_1', messages, tools: [], ...request }
    for await (const event of source.stream(whole, callOf(signal))) events.push(event)
    return events
  }
  return { source, ask, [Symbol.asyncDispose]: () => host.close() }
}

/** A package of one file in a new folder, and the settings that name it. */
function writePackage(code: string, entry: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ai-sdk-'))
  mkdirSync(join(folder, 'node_modules', 'own-ai'), { recursive: true })
  writeFileSync(join(folder, 'node_modules', 'own-ai', 'package.json'), '{"name":"own-ai","type":"module","main":"own.js"}')
  writeFileSync(join(folder, 'node_modules', 'own-ai', 'own.js'), code)
  const config: BridgeConfig = { folder, packages: { acme: { package: 'own-ai', ...entry } } }
  return { config, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

const modelOf = (parts: string, version = 'v3'): string =>
  `({ specificationVersion: '${version}', provider: 'own.chat', doStream: async () => ({ stream: new ReadableStream({
    start(to) { for (const part of ${parts}) to.enqueue(part); to.close() } }) }) })`

test('options of the settings go with each request, a wish for reasoning beside them, a cache mark with the system prompt', async () => {
  await using server = await startFakeAnthropic({ models: ['small'] })
  const { folder, packages } = configOf('anthropic-messages', `${server.url}/v1`)
  const acme = { package: '@ai-sdk/anthropic', ...packages?.acme, system: { anthropic: { cacheControl: { type: 'ephemeral' } } } }
  await using bridge = await openBridge({ ...(folder !== undefined && { folder }), packages: { acme } })
  expect((await bridge.ask()).at(-1)).toMatchObject({ type: 'end' })
  expect(server.requests[0]?.body).toMatchObject({
    system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }],
    thinking: { type: 'enabled', budget_tokens: 1024 },
  })
  await using other = await startFakeOpenai({ models: ['small'] })
  await using chat = await openBridge(configOf('openai-chat', other.url, ['small']))
  await chat.ask({
    reasoning: 'high',
    model: 'small',
    toolChoice: 'required',
    tools: [{ name: 'x', description: 'x', parameters: { type: 'object' } }],
  })
  expect(other.requests[0]?.body).toMatchObject({ model: 'small', reasoning_effort: 'high', tool_choice: 'required' })
  expect(await chat.source.models?.(callOf())).toEqual(['acme/small'])
})

test('what came with a text or a call goes back with it, and only to this source', async () => {
  const options = { own: { mark: 'a1' } }
  using own = writePackage(
    `export const createOwn = () => (id) => ({ specificationVersion: 'v3', provider: 'own', async doStream({ prompt }) {
      const text = JSON.stringify(prompt.filter(({ role }) => role === 'assistant'))
      return { stream: new ReadableStream({ start(to) { to.enqueue({ type: 'text-delta', id: '1', delta: text }); to.close() } }) } } })`,
  )
  await using bridge = await openBridge(own.config)
  const parts = (name: string) =>
    [
      { type: 'text', text: 'One moment.' },
      { type: 'opaque', provider: name, data: { type: 'text', options } },
      { type: 'opaque', provider: name, data: { type: 'call', id: 'c1', options } },
      { type: 'call', id: 'c1', name: 'x', args: '{"a":' },
    ] as const
  const shown = async (name: string) => {
    const [text] = await bridge.ask({ messages: [{ role: 'assistant', parts: parts(name) }] })
    return JSON.parse(text?.type === 'text' ? text.delta : '')[0].content
  }
  expect(await shown('bridge-ai-sdk')).toEqual([
    { type: 'text', text: 'One moment.', providerOptions: options },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: { broken_arguments: '{"a":' }, providerOptions: options },
  ])
  expect(JSON.stringify(await shown('another'))).not.toContain('providerOptions')
})

test('an answer without an end was cut off; an error in the stream, and a tool that the service ran, are told as they are', async () => {
  const ask = async (parts: string) => {
    using own = writePackage(`export const model = ${modelOf(parts)}`, { export: 'model' })
    await using bridge = await openBridge(own.config)
    return await bridge.ask()
  }
  expect(await ask('[]')).toMatchObject([{ type: 'failed', class: 'disconnected' }])
  const failing = `[{ type: 'error', error: { message: 'Overloaded', statusCode: 529, responseHeaders: { 'retry-after': '2' } } }]`
  expect(await ask(failing)).toMatchObject([{ error: { code: 'MODEL_UNKNOWN', params: { status: 529 }, retryAfterMs: 2000 } }])
  const [silent] = await ask(`[{ type: 'error', error: { message: 'Overloaded', statusCode: 529 } }]`)
  expect(silent?.type === 'failed' && 'retryAfterMs' in silent.error).toBe(false)
  const finish = `{ type: 'finish', finishReason: { unified: 'tool-calls' }, usage: {
    inputTokens: { total: 9, cacheRead: 4, cacheWrite: 2 }, outputTokens: { total: 5, reasoning: 3 } } }`
  const ran = `{ type: 'tool-call', toolCallId: '1', toolName: 'search', input: '{}', providerExecuted: true }`
  const usage = { input: 9, output: 5, cacheRead: 4, cacheWrite: 2, reasoning: 3 }
  expect(await ask(`[${ran}, ${finish}]`)).toEqual([{ type: 'end', reason: 'stop', usage }])
})

test.each([
  [
    'a version that is not known',
    `export const createOwn = () => (id) => ${modelOf('[]', 'v9')}`,
    /models of version v9; 2 and 3 are known/,
  ],
  ['two functions to choose from', 'export const createA = 1, createB = 2', /no single create…; export names one of: createA, createB/],
  ['no models', 'export const createOwn = () => ({})', /gives no language model for small/],
])('%s is told', async (_title, code, problem) => {
  using own = writePackage(code)
  await using bridge = await openBridge(own.config)
  expect(await bridge.ask()).toMatchObject([
    { type: 'failed', class: 'model_not_found', error: { params: { problem: expect.stringMatching(problem) } } },
  ])
})

test('without settings, and for a name that they do not have, it says which setting is missing', async () => {
  await expect(openBridge({})).rejects.toThrow(/knows no package.*packages in config\.yaml/s)
  using own = writePackage('')
  await using bridge = await openBridge({ ...own.config, packages: { ...own.config.packages, b: { package: 'b' } } })
  expect(await bridge.ask({ model: 'c/small' })).toMatchObject([
    { error: { params: { problem: expect.stringMatching(/c is none of .*acme, b/) } } },
  ])
})
