import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { HttpReply, TurnEvent } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { counted, ended, greeting, jsonOf, openDoor, overloaded, play, started, textOf } from '../test/test-door.ts'
import { failureReply } from './wire/failure.ts'

const streamed = { messages: [{ role: 'user', content: 'x' }], stream: true }

test('a whole answer carries text, usage and the session', async () => {
  const reply = await openDoor().ask()
  expect(reply).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'application/json',
      'x-agent-session-id': 'ses_1',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  })
  expect(await jsonOf(reply)).toMatchObject({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1000,
    model: 'agent',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 },
  })
})

test('a streamed answer begins with the first thing there is to say', async () => {
  const reply = await openDoor().ask({ body: streamed })
  expect(reply).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-agent-session-id': 'ses_1' },
  })
  const text = await textOf(reply)
  expect(text.startsWith('data: {"id":"chatcmpl-1"')).toBe(true)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
})

const instead: TurnEvent = { type: 'status', kind: 'fallback', text: 'far is gone.', model: 'near/größer' }

test.each([
  ['/v1/chat/completions', { messages: streamed.messages }],
  ['/v1/chat/completions', streamed],
  ['/v1/responses', { input: 'x' }],
])('the header x-agent-model of %s names the model that answers, also the one that stands in', async (path, body) => {
  expect(await openDoor().ask({ path, body })).toMatchObject({ headers: { 'x-agent-model': 'p/m' } })
  const [first, ...rest] = greeting
  const reply = await openDoor(() => play([first ?? started, instead, ...rest])).ask({ path, body })
  expect(reply).toMatchObject({ headers: { 'x-agent-model': 'near/gr??er' } })
})

test('the header of a stream that begins at once names the model that the turn begins with, its last event the one that ended it', async () => {
  const [first, ...rest] = greeting
  const { ask } = openDoor(() => play([first ?? started, instead, ...rest]))
  const reply = await ask({ path: '/v1/responses', body: { input: 'x', stream: true } })
  expect(reply).toMatchObject({ headers: { 'x-agent-model': 'p/m' } })
  expect(await textOf(reply)).toMatch(/response\.completed.*"model":"near\/größer"/s)
})

test('a model that thinks for long is covered by signs of life, before the first word and after', async () => {
  let speak = (_event: TurnEvent): void => {}
  const { ask, clock } = openDoor(async function* () {
    yield started
    yield await new Promise<TurnEvent>((resolve) => {
      speak = resolve
    })
    yield await new Promise<TurnEvent>((resolve) => {
      speak = resolve
    })
  })
  const asked = ask({ body: streamed })
  await new Promise(setImmediate)
  for (let looks = 0; looks < 3; looks++) await clock.advance(5_000)
  const reader = ((await asked).body as AsyncIterable<string>)[Symbol.asyncIterator]()
  expect((await reader.next()).value).toMatch(/^data: .*"role":"assistant".*\n\n: keepalive\n\n$/)
  speak({ type: 'message.delta', text: 'word' })
  expect((await reader.next()).value).toContain('word')
  const waiting = reader.next()
  for (let looks = 0; looks < 3; looks++) await clock.advance(5_000)
  expect((await waiting).value).toBe(': keepalive\n\n')
  speak(ended('word'))
  expect((await reader.next()).value).toContain('[DONE]')
  expect((await reader.next()).done).toBe(true)
})

test.each([true, false])('a turn that fails before its first word has the HTTP status of its error (stream: %s)', async (stream) => {
  const { ask } = openDoor(() => play([started, counted, overloaded, ended('', 'failed')]))
  const reply = await ask({ body: { ...streamed, stream } })
  expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '2', 'x-should-retry': 'false' } })
  expect(await jsonOf(reply)).toEqual({
    error: { message: 'p is overloaded: d. Try again later.', type: 'server_error', param: null, code: 'model_overloaded' },
  })
})

test.each([true, false])('turns that cannot run at all are answered by their code (stream: %s)', async (stream) => {
  const { ask } = openDoor(async function* () {
    yield started
    throw fail('SESSION_NOT_FOUND', { session: 'ses_9' })
  })
  const reply = await ask({ body: { ...streamed, stream } })
  expect([reply.status, await jsonOf(reply)]).toMatchObject([404, { error: { code: 'session_not_found' } }])
})

test.each([true, false])('a turn that ends without a result is a server error (stream: %s)', async (stream) => {
  for (const events of [[started, ended('', 'failed')], [started]]) {
    const { ask } = openDoor(() => play(events))
    expect(await ask({ body: { ...streamed, stream } })).toMatchObject({ status: 500 })
  }
})

test('a whole answer that broke off keeps what was said and says so', async () => {
  const { ask } = openDoor(() => play([started, overloaded, ended('half', 'failed')]))
  const reply = await ask()
  expect(reply).toMatchObject({ status: 200, headers: { 'x-agent-completed': 'false', 'x-agent-partial': 'true' } })
  expect(await jsonOf(reply)).toMatchObject({
    choices: [{ message: { content: 'half' }, finish_reason: 'length' }],
    agent: { completed: false, partial: true, error_code: 'model_overloaded' },
  })
})

test('a run over the limit is answered 429 until one has ended', async () => {
  let finish = (): void => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const { ask } = openDoor(async function* () {
    await finished
    yield* greeting
  })
  const running = [ask(), ask({ body: streamed })]
  expect(await ask()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
  finish()
  for (const reply of await Promise.all(running)) await textOf(reply)
  for (const body of [streamed, streamed, { ...streamed, stream: false }, { ...streamed, stream: false }]) {
    const reply = await ask({ body })
    await textOf(reply)
    expect(reply.status).toBe(200)
  }
})

test('a reader that takes nothing holds the turn back', async () => {
  let said = 0
  const { ask } = openDoor(async function* () {
    for (; said < 1_000; said++) yield { type: 'message.delta', text: 'x'.repeat(10_000) } satisfies TurnEvent
    yield* [counted, ended('')]
  })
  const reply = await ask({ body: streamed })
  await new Promise(setImmediate)
  expect(said).toBeLessThan(10)
  await textOf(reply)
  expect(said).toBe(1_000)
})

test('a reader that leaves ends the turn', async () => {
  const noted: string[] = []
  const { ask } = openDoor(async function* () {
    try {
      for (;;) yield { type: 'message.delta', text: 'x'.repeat(10_000) } satisfies TurnEvent
    } finally {
      noted.push('ended')
    }
  })
  const reader = ((await ask({ body: streamed })).body as AsyncIterable<string>)[Symbol.asyncIterator]()
  await reader.next()
  await reader.return?.()
  await new Promise(setImmediate)
  expect(noted).toEqual(['ended'])
})

const packed = new TextEncoder().encode(JSON.stringify({ messages: [{ role: 'user', content: 'x' }] }))

test.each([
  ['gzip', gzipSync(packed)],
  ['deflate', deflateSync(packed)],
  ['br', brotliCompressSync(packed)],
])('a body packed as %s is read', async (packing, body) => {
  const { ask } = openDoor()
  expect((await ask({ body, headers: { 'content-encoding': packing } })).status).toBe(200)
})

test('a body that is small only while it is packed is too large, and an unknown packing is named', async () => {
  const { ask } = openDoor(undefined, { maxBodyBytes: 1_000 })
  const bomb = gzipSync(Buffer.alloc(1_000_000, 'x'))
  const codeOf = async (body: Uint8Array, packing: string): Promise<unknown> => {
    const reply = await ask({ body, headers: { 'content-encoding': packing } })
    return [reply.status, ((await jsonOf(reply)) as { error: { code: string } }).error.code]
  }
  expect(await codeOf(bomb, 'gzip')).toEqual([413, 'body_too_large'])
  expect(await codeOf(packed, 'gzip')).toEqual([400, 'invalid_json'])
  expect(await codeOf(packed, 'zstd')).toEqual([400, 'unsupported_content_type'])
})

test('a slash at the end of a path changes nothing', async () => {
  const { get } = openDoor()
  expect(await jsonOf(await get('/v1/models/'))).toMatchObject({ data: [{ id: 'agent' }] })
})

test('one model, and health without a key', async () => {
  const { ask } = openDoor(undefined, { key: 'secret' })
  const get = (path: string, headers = {}): Promise<HttpReply> => ask({ method: 'GET', path, headers })
  expect(await jsonOf(await get('/v1/models?x=1', { authorization: 'Bearer secret' }))).toEqual({
    object: 'list',
    data: [{ id: 'agent', object: 'model', created: 1000, owned_by: 'agent' }],
  })
  for (const path of ['/health', '/v1/health']) expect(await get(path)).toMatchObject({ status: 200, body: '{"status":"ok"}' })
  expect((await ask({ method: 'HEAD', path: '/health' })).status).toBe(200)
})

test.each([
  ['another path', { path: '/v1/nothing' }, 404, 'not_found'],
  ['another method', { method: 'DELETE' }, 405, 'method_not_allowed'],
  ['no JSON', { body: '{' }, 400, 'invalid_json'],
  ['a wrong field', { body: { messages: 1 } }, 400, 'invalid_request'],
  ['a form', { headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
  ['a lookalike type', { headers: { 'content-type': 'application/jsonp' } }, 415, 'unsupported_media_type'],
  ['a rebound host', { headers: { host: 'evil.test:8642' } }, 403, 'host_not_allowed'],
  ['a host that only looks local', { headers: { host: '127.0.0.1.evil.test' } }, 403, 'host_not_allowed'],
  ['no host', { headers: { host: '' } }, 403, 'host_not_allowed'],
  ['a page of another origin', { headers: { origin: 'http://evil.test' } }, 403, 'origin_not_allowed'],
  ['a page without an origin', { headers: { origin: 'null' } }, 403, 'origin_not_allowed'],
  ['a session without a key', { headers: { 'x-agent-session-id': 'ses_1' } }, 403, 'session_needs_key'],
  ['a file', { body: { messages: [{ role: 'user', content: [{ type: 'file' }] }] } }, 400, 'unsupported_content_type'],
])('without a key, %s is refused', async (_what, asked, status, code) => {
  const reply = await openDoor().ask(asked)
  expect([reply.status, await jsonOf(reply)]).toMatchObject([status, { error: { code, type: 'invalid_request_error' } }])
})

test('a path and a method that are not offered are named', async () => {
  const { ask } = openDoor()
  expect(await ask({ path: '/v1/nothing?x=1' })).toMatchObject(failureReply(fail('HTTP_NOT_FOUND', { what: 'path /v1/nothing' })))
  const reply = await ask({ method: 'DELETE' })
  expect(reply).toMatchObject(failureReply(fail('HTTP_METHOD', { method: 'DELETE', path: '/v1/chat/completions' })))
  expect(reply.headers?.allow).toBe('POST')
})

test.each(['localhost', 'LOCALHOST:1', '127.0.0.9:8642', '[::1]:8642'])('without a key, the host %s is answered', async (host) => {
  expect((await openDoor().ask({ headers: { host } })).status).toBe(200)
})

test('with a key, only who presents it is answered, under any name', async () => {
  const { ask } = openDoor(undefined, { key: 'secret' })
  for (const authorization of ['', 'secret', 'Bearer', 'Bearer secre', 'Bearer secret ', 'Basic secret']) {
    const reply = await ask({ headers: { authorization } })
    expect([authorization, reply.status, await jsonOf(reply)]).toEqual([
      authorization,
      401,
      { error: { message: 'Invalid API key.', type: 'invalid_request_error', param: null, code: 'invalid_api_key' } },
    ])
  }
  expect((await ask({ path: '/v1/nothing' })).status).toBe(401)
  const known = { authorization: 'bearer secret', host: 'agent.example', origin: 'app://desktop' }
  expect((await ask({ headers: known })).status).toBe(200)
})

test('a listed origin may ask and may read every answer, failures included', async () => {
  const { ask } = openDoor(undefined, { origins: ['http://page.test'], key: 'secret' })
  const headers = {
    origin: 'http://page.test',
    'access-control-request-method': 'POST',
    'access-control-request-headers':
      'authorization, content-type, x-stainless-os, X-Requested-With, x-title, http-referer, openai-beta, traceparent, x-of-tomorrow, not a name',
  }
  const allowed = await ask({ method: 'OPTIONS', headers })
  expect(allowed).toMatchObject({
    status: 204,
    headers: { 'access-control-allow-origin': 'http://page.test', vary: 'Origin', 'access-control-max-age': '600' },
  })
  expect(allowed.headers?.['access-control-allow-headers']).toMatch(
    /^Authorization, Content-Type, .*x-stainless-os, X-Requested-With, x-title, http-referer, openai-beta, traceparent, x-of-tomorrow$/,
  )
  expect(await ask({ headers: { origin: 'http://page.test' } })).toMatchObject({
    status: 401,
    headers: { 'access-control-allow-origin': 'http://page.test' },
  })
  const refused = await ask({ method: 'OPTIONS', headers: { ...headers, origin: 'http://evil.test' } })
  expect([refused.status, refused.headers?.['access-control-allow-origin']]).toEqual([403, undefined])
})

test('a star lists every origin', async () => {
  const reply = await openDoor(undefined, { origins: ['*'] }).ask({ headers: { origin: 'http://any.test' } })
  expect(reply).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': '*' } })
})
