import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSilentServer } from 'node:net'
import { brotliCompressSync, createGzip, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { dispatchRequest } from './dispatch.ts'
import type { Endpoint } from './endpoint.ts'
import type { Reply } from './reply.ts'
import { send } from './send.ts'

/** Asks a server on this machine as a model is asked. */
async function openExchange(
  listener: RequestListener,
): Promise<AsyncDisposable & { readonly url: string; ask(more?: { path?: string; signal?: AbortSignal; body?: object }): Promise<Reply> }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const endpoint: Endpoint = { provider: 'x', protocol: 'openai-chat', baseUrl: url, key: 'a-key', headers: {}, quirks: {}, variables: {} }
  return {
    url,
    ask: async ({ path = '/', signal = new AbortController().signal, body = {} } = {}) =>
      (await send(endpoint, undefined, { method: 'POST', path, signal, body }, Date.now)).reply,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('sends what fetch would and gives status, headers and body', async () => {
  await using exchange = await openExchange((request, response) => {
    const { authorization, 'content-type': type, 'content-length': length, 'transfer-encoding': chunked } = request.headers
    response.writeHead(218, 'Short and stout', { 'X-Some': 'é' })
    request.on('data', (body) => response.end(JSON.stringify([request.url, authorization, type, length, chunked, String(body)])))
  })
  const reply = await exchange.ask({ path: '/v1/chat?x=1', body: { a: 'ü' } })
  expect([reply.ok, reply.status, reply.statusText, reply.headers.get('x-some'), reply.headers.get('absent')]).toEqual([
    ...[true, 218, 'Short and stout', 'é', null],
  ])
  expect(await reply.json()).toEqual(['/v1/chat?x=1', 'Bearer a-key', 'application/json', '10', null, '{"a":"ü"}'])
})

test('a redirect is not followed', async () => {
  const asked: unknown[] = []
  await using exchange = await openExchange((request, response) => {
    asked.push(request.url)
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  expect((await exchange.ask()).headers.get('location')).toBe('/elsewhere')
  expect(asked).toEqual(['/'])
})

test('what a server says before its answer is passed over', async () => {
  await using exchange = await openExchange((_request, response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' })
    response.end('then')
  })
  expect(await (await exchange.ask()).text()).toBe('then')
})

test('a long answer that is read late comes whole and in order', async () => {
  const lines = Array.from({ length: 40_000 }, (_, number) => `line ${number}\n`)
  await using exchange = await openExchange(async (_request, response) => {
    for (const line of lines) if (!response.write(line)) await once(response, 'drain')
    response.end()
  })
  const reply = await exchange.ask()
  const other = await exchange.ask()
  expect(await other.text()).toBe(lines.join(''))
  expect(await reply.text()).toBe(lines.join(''))
})

test('the memory of a large piece is given back when the next one is asked for', async () => {
  const sent = 'é'.repeat(100_000)
  await using exchange = await openExchange((_request, response) => response.end(sent))
  const reader = (await exchange.ask()).body?.getReader()
  const decoder = new TextDecoder()
  const emptied: number[] = []
  let whole = ''
  for (let last: Uint8Array | undefined; ; ) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (last) emptied.push(last.length)
    if (done || !value) break
    if (value.length >= 4096) last = value
    whole += decoder.decode(value, { stream: true })
  }
  expect(whole).toBe(sent)
  expect([emptied.length > 0, Math.max(...emptied)]).toEqual([true, 0])
})

test('an answer that came compressed unasked is read', async () => {
  await using exchange = await openExchange((request, response) => {
    expect(request.headers['accept-encoding']).toBeUndefined()
    const encoding = request.url === '/br' ? 'br' : 'gzip'
    response.writeHead(200, { 'content-encoding': encoding })
    response.end(encoding === 'br' ? brotliCompressSync('packed') : gzipSync('packed'.repeat(100_000)))
  })
  expect(await (await exchange.ask({ path: '/br' })).text()).toBe('packed')
  expect(await (await exchange.ask({ path: '/gzip' })).text()).toBe('packed'.repeat(100_000))
})

test('a compressed piece is there before the next one is sent', async () => {
  let goOn = (): void => undefined
  await using exchange = await openExchange((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    const zip = createGzip()
    zip.pipe(response)
    zip.write('one')
    zip.flush()
    goOn = () => zip.end('two')
  })
  const body = (await exchange.ask()).body?.getReader()
  expect(Buffer.from((await body?.read())?.value ?? []).toString()).toBe('one')
  goOn()
  expect(Buffer.from((await body?.read())?.value ?? []).toString()).toBe('two')
  expect(await body?.read()).toEqual({ done: true })
})

test('damage in a compressed answer ends it with an error', async () => {
  await using exchange = await openExchange((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip')
  })
  await expect((await exchange.ask()).text()).rejects.toThrow('incorrect header check')
})

test('a caller that gives up gets the reason, and the server sees it', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  let gone: Promise<unknown> | undefined
  await using exchange = await openExchange((_request, response) => {
    gone = once(response, 'close')
    response.write('one')
  })
  const body = (await exchange.ask({ signal: stop.signal })).body?.getReader()
  await body?.read()
  const next = body?.read()
  stop.abort(reason)
  await expect(next).rejects.toBe(reason)
  await gone
})

test('giving up while nothing has answered yet ends the request', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  let gone: Promise<unknown> | undefined
  await using exchange = await openExchange((_request, response) => {
    gone = once(response, 'close')
    stop.abort(reason)
  })
  await expect(exchange.ask({ signal: stop.signal })).rejects.toBe(reason)
  await gone
  await expect(exchange.ask({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

test('a rest that is not wanted closes the connection', async () => {
  let gone: Promise<unknown> | undefined
  await using exchange = await openExchange((_request, response) => {
    gone = once(response, 'close')
    response.write('one')
  })
  const body = (await exchange.ask()).body?.getReader()
  await body?.read()
  await body?.cancel()
  await gone
})

test('a connection that breaks in the middle is an error after what had come', async () => {
  await using exchange = await openExchange((_request, response) => {
    response.writeHead(200, { 'content-length': '10' })
    response.write('one', () => response.destroy())
  })
  const body = (await exchange.ask()).body?.getReader()
  expect((await body?.read())?.value?.length).toBe(3)
  await expect(body?.read()).rejects.toThrow()
})

test('a server that begins nothing is given up, one that takes its time to answer is not', async () => {
  const silent = createSilentServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const outgoing = { method: 'GET', headers: {}, signal: new AbortController().signal, connectTimeoutMs: 20 } as const
  await expect(dispatchRequest({ ...outgoing, url: new URL(`https://127.0.0.1:${port}/`) })).rejects.toThrow('takes no connection')
  silent.close()
  await using exchange = await openExchange((_request, response) => void response.setTimeout(60, () => response.end('late')))
  expect(await (await dispatchRequest({ ...outgoing, url: new URL(exchange.url) })).text()).toBe('late')
})
