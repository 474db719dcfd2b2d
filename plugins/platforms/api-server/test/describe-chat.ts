import { request as sendRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'

/** A running API server. */
export interface OpenApi {
  /** Ends in `/v1`. */
  readonly url: string
  readonly key?: string
  /** Resolves when the next turn is interrupted. */
  interrupted(): Promise<void>
  close(): Promise<void>
}

interface Wish {
  readonly say: string
  readonly answer: RegExp
}

/** An API server to test: how it is opened, and what its model understands. */
export interface ApiUnderTest {
  open(options: { readonly key?: string; readonly origins?: readonly string[] }): Promise<OpenApi>
  readonly greet: Wish
  /** Answers with many tokens. */
  readonly long: Wish
  /** Uses a tool and says so. */
  readonly tool: Wish
  /** Says something and then goes on until it is interrupted. */
  readonly endless: string
  readonly fail: { readonly say: string; readonly status: number; readonly code: string }
}

const said = (content: string) => [{ role: 'user' as const, content }]

/** What real clients need of an API server; the same tests for a scripted one and for a whole gateway. */
export function describeChat(name: string, under: ApiUnderTest): void {
  describe(name, () => {
    let api: OpenApi
    let openai: OpenAI
    beforeAll(async () => {
      api = await under.open({ key: 'sk-test', origins: ['http://page.test'] })
      openai = new OpenAI({ baseURL: api.url, apiKey: 'sk-test', maxRetries: 0 })
    })
    afterAll(() => api.close())
    describeOpenAi(under, () => ({ api, openai }))
    describeAiSdk(under, () => api)
    describeBrowsers(under, () => api)
  })
}

function describeOpenAi(under: ApiUnderTest, opened: () => { api: OpenApi; openai: OpenAI }): void {
  proves(['api.chat.usage', 'purpose.api.chat'], 'openai: a whole chat has text, a reason to finish and real usage', async () => {
    const answer = await opened().openai.chat.completions.create({ model: 'agent', messages: said(under.greet.say) })
    expect(answer.choices[0]).toMatchObject({
      message: { role: 'assistant', content: expect.stringMatching(under.greet.answer) },
      finish_reason: 'stop',
    })
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = answer.usage ?? {}
    expect(Math.min(prompt_tokens, completion_tokens)).toBeGreaterThan(0)
    expect(total_tokens).toBe(prompt_tokens + completion_tokens)
  })

  proves(['api.chat.stream', 'event.api.sse'], 'openai: a stream brings the text in pieces and no usage unasked', async () => {
    const stream = await opened().openai.chat.completions.create({ model: 'agent', messages: said(under.long.say), stream: true })
    const chunks = await collect(stream)
    const pieces = chunks.flatMap((chunk) => chunk.choices[0]?.delta.content || [])
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join('')).toMatch(under.long.answer)
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant')
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(chunks.every(({ usage }) => !usage)).toBe(true)
  })

  test('openai: a stream with usage ends with it, through the helper too', async () => {
    const body = { model: 'agent', messages: said(under.greet.say), stream_options: { include_usage: true } }
    const chunks = await collect(await opened().openai.chat.completions.create({ ...body, stream: true }))
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } })
    const final = await opened().openai.chat.completions.stream(body).finalChatCompletion()
    expect(final.choices[0]?.message.content).toMatch(under.greet.answer)
    expect(final.usage?.total_tokens).toBe(chunks.at(-1)?.usage?.total_tokens)
  })

  test('openai: tools that ran on the server disturb no stream and are no calls for the client', async () => {
    const helper = opened().openai.chat.completions.stream({ model: 'agent', messages: said(under.tool.say) })
    const { message } = (await helper.finalChatCompletion()).choices[0] ?? {}
    expect(message?.content).toMatch(under.tool.answer)
    expect(message?.tool_calls).toBeUndefined()
  })

  test('openai: a client that leaves interrupts the turn', async () => {
    const { api, openai } = opened()
    const interrupted = api.interrupted()
    const stream = await openai.chat.completions.create({ model: 'agent', messages: said(under.endless), stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) stream.controller.abort()
    await interrupted
  })

  test.each([true, false])('openai: a failed turn is an error with its status and code (stream: %s)', async (stream) => {
    const asked = opened().openai.chat.completions.create({ model: 'agent', messages: said(under.fail.say), stream })
    await expect(asked).rejects.toMatchObject({ status: under.fail.status, code: under.fail.code })
  })

  proves(['auth.api.bearer', 'env.api-server-key'], 'openai: a wrong key is an authentication error', async () => {
    const stranger = new OpenAI({ baseURL: opened().api.url, apiKey: 'sk-other', maxRetries: 0 })
    const error = await stranger.models.list().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key' })
  })

  test('openai: a body over the limit is answered 413', async () => {
    const asked = opened().openai.chat.completions.create({ model: 'agent', messages: said('x'.repeat(10_000_001)) })
    await expect(asked).rejects.toMatchObject({ status: 413, code: 'body_too_large', type: 'invalid_request_error' })
  })

  test.each(['with its length', 'in pieces'])('a page may read that a body is over the limit, sent %s', async (how) => {
    const bytes = Buffer.alloc(10_000_001, 0x20)
    const reply = await fetch(`${opened().api.url}/chat/completions`, {
      ...{ method: 'POST', body: how === 'in pieces' ? new Blob([bytes]).stream() : bytes, duplex: 'half' },
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json', origin: 'http://page.test' },
    })
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([413, 'http://page.test'])
    await reply.body?.cancel()
  })

  proves('api.models', 'openai: the agent is the only model', async () => {
    const models = await collect(await opened().openai.models.list())
    expect(models).toEqual([expect.objectContaining({ object: 'model', owned_by: 'agent' })])
    const { id } = models[0] ?? { id: '' }
    expect(await opened().openai.models.retrieve(id)).toMatchObject({ id, object: 'model' })
    await expect(opened().openai.models.retrieve('gpt-none')).rejects.toMatchObject({ status: 404, code: 'not_found' })
  })

  test('a body that is not JSON is answered 400', async () => {
    const { url } = opened().api
    const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-test' }
    const reply = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body: '{"messages": [' })
    expect([reply.status, await reply.json()]).toMatchObject([400, { error: { code: 'invalid_json', type: 'invalid_request_error' } }])
  })

  proves('api.health', 'health is answered without a key', async () => {
    for (const path of ['/v1/health', '/health']) {
      expect(await (await fetch(new URL(path, opened().api.url))).json()).toMatchObject({ status: 'ok' })
    }
  })
}

function describeAiSdk(under: ApiUnderTest, opened: () => OpenApi): void {
  const model = (apiKey = 'sk-test') =>
    createOpenAICompatible({ name: 'agent', baseURL: opened().url, apiKey, includeUsage: true })('agent')

  test('ai sdk: a whole text with usage', async () => {
    const { text: answer, usage, finishReason } = await generateText({ model: model(), prompt: under.greet.say, maxRetries: 0 })
    expect(answer).toMatch(under.greet.answer)
    expect(usage.totalTokens).toBeGreaterThan(0)
    expect(finishReason).toBe('stop')
  })

  test.each(['long', 'tool'] as const)('ai sdk: a streamed text without errors (%s)', async (wish) => {
    const result = streamText({ model: model(), prompt: under[wish].say, maxRetries: 0, onError: () => {} })
    const parts = await collect(result.fullStream)
    expect(parts.filter((part) => part.type === 'error' || part.type.startsWith('tool'))).toEqual([])
    expect(parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')).toMatch(under[wish].answer)
    expect((await result.usage).outputTokens).toBeGreaterThan(0)
  })

  test('ai sdk: a failed turn and a wrong key are API errors', async () => {
    const failed = generateText({ model: model(), prompt: under.fail.say, maxRetries: 0 })
    await expect(failed).rejects.toMatchObject({ statusCode: under.fail.status })
    const refused = generateText({ model: model('sk-other'), prompt: under.greet.say, maxRetries: 0 })
    await expect(refused).rejects.toMatchObject({ statusCode: 401 })
  })
}

function describeBrowsers(under: ApiUnderTest, opened: () => OpenApi): void {
  proves('api.cors', 'a listed page may ask with the headers of the openai client and read the answer', async () => {
    const asked = await ask(opened().url, 'OPTIONS', {
      origin: 'http://page.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
    })
    expect(asked).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': 'http://page.test', 'access-control-max-age': '600' },
    })
    expect(asked.headers['access-control-allow-headers']).toMatch(/authorization.*x-stainless-lang/i)
    const body = JSON.stringify({ messages: said(under.greet.say) })
    const answer = await ask(
      opened().url,
      'POST',
      { origin: 'http://page.test', authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body,
    )
    expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': 'http://page.test' } })
  })

  proves(
    'auth.api.optional',
    'without a key this machine is answered; a page of another origin, a rebound name and a plain form are refused',
    async () => {
      const api = await under.open({})
      try {
        const json = { 'content-type': 'application/json' }
        const body = JSON.stringify({ messages: said(under.greet.say) })
        const codeOf = async (headers: Record<string, string>): Promise<unknown> => {
          const answer = await ask(api.url, 'POST', headers, body)
          return [answer.status, JSON.parse(answer.body).error?.code]
        }
        expect(await codeOf(json)).toEqual([200, undefined])
        expect(await codeOf({ ...json, origin: 'http://evil.test' })).toEqual([403, 'origin_not_allowed'])
        expect(await codeOf({ ...json, host: 'evil.test' })).toEqual([403, 'host_not_allowed'])
        expect(await codeOf({ 'content-type': 'text/plain' })).toEqual([415, 'unsupported_media_type'])
      } finally {
        await api.close()
      }
    },
  )
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A request with headers that fetch does not let through. */
function ask(url: string, method: string, headers: Record<string, string>, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(`${url}/chat/completions`, { method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } })
    request.once('error', reject)
    request.once('response', (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer }), reject)
    })
    request.end(body)
  })
}
