import { once } from 'node:events'
import { type ClientRequest, request as sendRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { HttpHandler, HttpRequest, Log } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { afterEach, expect, test } from 'vitest'
import { type Listener, type ListenerOptions, openListener } from './http.ts'
import { createHeld } from './http-body.ts'
import { errorReply } from './http-error.ts'

const noted: string[] = []
const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: (message) => void noted.push(message) }
const listeners = new Set<Listener>()

afterEach(async () => {
  noted.length = 0
  for (const listener of listeners) await listener.close()
  listeners.clear()
})

async function listen(handler: HttpHandler, more: Partial<ListenerOptions> = {}): Promise<Listener> {
  const admit: ListenerOptions['admit'] = async () => ({ handler, maxBodyBytes: 1_000 })
  const listener = await openListener({ host: '127.0.0.1', port: 0, closeMs: 20, log, admit, ...more })
  listeners.add(listener)
  return listener
}

/** A promise that the test opens. */
function latch(): { opened: Promise<void>; open(): void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Writes raw bytes and returns all that comes back until the server closes. */
async function exchange(port: number, written: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(written)
  return text(socket)
}

test('a request reaches the handler as plain data and its reply comes back as it is', async () => {
  const seen: HttpRequest[] = []
  const { url } = await listen(async (request) => {
    seen.push(request)
    return { status: 201, headers: { 'x-answer': 'yes' }, body: new Uint8Array([104, 105]) }
  })
  const reply = await fetch(`${url}/a/b?c=d`, {
    method: 'POST',
    headers: { 'X-Mixed': 'One', 'content-type': 'no slash' },
    body: '{broken',
  })
  expect([reply.status, reply.headers.get('x-answer'), reply.headers.get('content-length'), await reply.text()]).toEqual([
    201,
    'yes',
    '2',
    'hi',
  ])
  expect(seen[0]).toMatchObject({ method: 'POST', url: '/a/b?c=d', remote: '127.0.0.1' })
  expect(seen[0]?.headers).toMatchObject({ 'x-mixed': 'One', 'content-type': 'no slash' })
  expect(new TextDecoder().decode(seen[0]?.body)).toBe('{broken')
})

test('repeated headers are joined into one text', async () => {
  const { port } = await listen(async (request) => ({ status: 200, body: `${request.headers['set-cookie']}|${request.headers['x-a']}` }))
  const answer = await exchange(
    port,
    'GET / HTTP/1.1\r\nhost: x\r\nx-a: 1\r\nx-a: 2\r\nset-cookie: a\r\nset-cookie: b\r\nconnection: close\r\n\r\n',
  )
  expect(answer).toContain('a, b|1, 2')
})

test('every method reaches the handler, and a HEAD reply has no body', async () => {
  const { url, port } = await listen(async (request) => ({ status: 200, body: request.method }))
  expect(await (await fetch(url, { method: 'PATCH' })).text()).toBe('PATCH')
  expect(await (await fetch(url, { method: 'HEAD' })).text()).toBe('')
  expect(await exchange(port, 'PROPFIND / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).toContain('PROPFIND')
})

test.each([
  ['with a length', { 'content-length': '4000000' }],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
])('a body over the limit, sent %s, is answered 413 and the connection stays usable', async (_how, headers) => {
  let asked = 0
  const { port } = await listen(async () => ({ status: 200, body: String(++asked) }))
  const request = sendRequest({ port, method: 'POST', headers })
  const sent = once(request, 'finish')
  request.end('x'.repeat(4_000_000))
  const [response] = await once(request, 'response')
  expect(response.statusCode).toBe(413)
  const body = await text(response)
  expect(body).toBe(errorReply(fail('HTTP_BODY_TOO_LARGE', { limit: 1_000 })).body)
  expect(JSON.parse(body)).toEqual({
    error: { message: 'The body is larger than 1000 bytes.', type: 'invalid_request_error', param: null, code: 'body_too_large' },
  })
  await sent
  expect(asked).toBe(0)
  expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(200)
})

test('a body over the limit is answered with the headers that its head was admitted with', async () => {
  const handler: HttpHandler = async () => ({ status: 200 })
  const { url } = await listen(handler, {
    admit: async () => ({ handler, maxBodyBytes: 2, headers: { 'x-page': 'a', 'content-type': 'b' } }),
  })
  const { status, headers } = await fetch(url, { method: 'POST', body: '123' })
  expect([status, headers.get('x-page'), headers.get('content-type')]).toEqual([413, 'a', 'application/json'])
})

const refuseAll: ListenerOptions['admit'] = async ({ url, headers, remote }) => ({ status: 401, body: `${url} ${headers.host} ${remote}` })

test.each([
  [401, 0],
  [200, 100_000],
])('the memory of a body that was answered %i is given back: %i bytes are left', async (status, left) => {
  const bodies: Uint8Array[] = []
  const handler: HttpHandler = async ({ body }) => {
    bodies.push(body)
    return { status, body: String(body.length) }
  }
  const { url } = await listen(handler, { admit: async () => ({ handler, maxBodyBytes: 100_000 }) })
  expect(await (await fetch(url, { method: 'POST', body: 'x'.repeat(100_000) })).text()).toBe('100000')
  expect(bodies.map(({ length }) => length)).toEqual([left])
})

test('a head that is refused is answered while its body is still to come', async () => {
  const { port } = await listen(async () => ({ status: 200 }), { admit: refuseAll })
  const request = sendRequest({ port, method: 'POST', path: '/a', headers: { host: 'x', 'content-length': '9900000' } })
  request.write('x'.repeat(1_000))
  const [response] = await once(request, 'response')
  expect([response.statusCode, await text(response)]).toEqual([401, '/a x 127.0.0.1'])
  request.on('error', () => {}).destroy()
})

test.each([
  ['admitted', {}, '10', 'HTTP/1.1 100 Continue'],
  ['refused', { admit: refuseAll }, '10', 'HTTP/1.1 401 Unauthorized'],
  ['too large', {}, '1001', 'HTTP/1.1 413 Payload Too Large'],
])('who waits to be asked for the body is told: %s', async (_what, more, length, answer) => {
  const { port } = await listen(async () => ({ status: 200 }), more)
  const socket = connect(port, '127.0.0.1')
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`)
  const [first] = await once(socket, 'data')
  expect(String(first).split('\r\n', 1)[0]).toBe(answer)
  socket.destroy()
})

test('bodies that are still coming share what they may hold: the one that takes longest gives way', async () => {
  const held = createHeld(1_500)
  const came = [latch(), latch()]
  let bodies = 0
  const begin: typeof held.begin = (giveUp) => {
    const place = held.begin(giveUp)
    const arrived = came[bodies++]
    return {
      ...place,
      add: (bytes) => {
        place.add(bytes)
        arrived?.open()
      },
    }
  }
  const { port, url } = await listen(async (request) => ({ status: 200, body: String(request.body.length) }), { held: { begin } })
  const slow = sendRequest({ port, method: 'POST', headers: { 'content-length': '1000' } })
  const given = once(slow, 'response')
  slow.write('x'.repeat(900))
  // The order in which bodies begin is the order in which connections are taken, and not the one in which they were opened.
  await came[0]?.opened
  const other = sendRequest({ port, method: 'POST', headers: { 'content-length': '1000' } })
  const taken = once(other, 'response')
  other.write('x'.repeat(100))
  await came[1]?.opened
  other.write('x'.repeat(900))
  other.end()
  const [[refused], [answered]] = await Promise.all([given, taken])
  expect([refused.statusCode, refused.headers['retry-after'], answered.statusCode]).toEqual([503, '5', 200])
  expect(await text(refused)).toContain(fail('HTTP_CROWDED').message)
  expect(await (await fetch(url, { method: 'POST', body: 'x'.repeat(1_000) })).text()).toBe('1000')
  slow.on('error', () => {}).destroy()
})

test('a handler that fails becomes its error envelope and a line in the log', async () => {
  const { url } = await listen(() => Promise.reject(new Error('no such luck')))
  const reply = await fetch(url)
  expect([reply.status, await reply.json()]).toEqual([500, { error: expect.objectContaining({ type: 'server_error', code: 'internal' }) }])
  expect(noted).toEqual(['an HTTP request failed'])
})

test('pieces of one turn of the event loop travel in one chunk, later ones at once', async () => {
  const released = latch()
  async function* pieces(): AsyncGenerator<string | Uint8Array> {
    for (const piece of ['a', 'b', 'c']) yield piece
    await released.opened
    yield new Uint8Array([100])
    yield 'e'
  }
  const { port } = await listen(async () => ({ status: 200, body: pieces() }))
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  let received = ''
  while (!received.includes('abc')) received += (await once(socket, 'data'))[0]
  released.open()
  received += await text(socket)
  // Newer ones of Node gather what is written in one turn themselves, bytes and text.
  expect(received).toMatch(/\r\n\r\n3\r\nabc\r\n(?:1\r\nd\r\n1\r\ne|2\r\nde)\r\n0\r\n\r\n$/)
})

test('bytes come after the text that was made before them', async () => {
  async function* pieces(): AsyncGenerator<string | Uint8Array> {
    yield 'a'
    yield new Uint8Array([98])
    yield 'c'
  }
  const { url } = await listen(async () => ({ status: 200, body: pieces() }))
  expect(await (await fetch(url)).text()).toBe('abc')
})

test('a stream without a first piece sends its headers', async () => {
  async function* never(signal: AbortSignal): AsyncGenerator<string> {
    await once(signal, 'abort')
    yield ''
  }
  const { url } = await listen(async (_request, call) => ({ status: 200, body: never(call.signal) }))
  const gone = new AbortController()
  expect((await fetch(url, { signal: gone.signal })).status).toBe(200)
  gone.abort()
})

test('a slow reader holds the producer back', async () => {
  let produced = 0
  async function* endless(): AsyncGenerator<string> {
    for (;;) {
      produced++
      yield 'x'.repeat(10_000)
    }
  }
  const { port } = await listen(async () => ({ status: 200, body: endless() }))
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(socket, 'readable')
  let before = -1
  while (before !== produced) {
    before = produced
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  }
  expect(produced).toBeLessThan(10_000)
  socket.destroy()
})

test('a client that does not read what was written has left: its stream and its call end', async () => {
  const ended = latch()
  const interrupted = latch()
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield 'x'.repeat(10_000)
    } finally {
      ended.open()
    }
  }
  const handler: HttpHandler = async (_request, { signal }) => {
    signal.addEventListener('abort', interrupted.open)
    return { status: 200, body: endless() }
  }
  const { port } = await listen(handler, { unreadMs: 30 })
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await Promise.all([ended.opened, interrupted.opened])
  socket.destroy()
})

test('a whole answer is written as it is read, and given up with a client that does not read', async () => {
  const body = new Uint8Array(12_000_000)
  const interrupted = latch()
  const handler: HttpHandler = async (_request, { signal }) => {
    signal.addEventListener('abort', interrupted.open)
    return { status: 200, body }
  }
  const { url } = await listen(handler)
  const whole = await fetch(url)
  expect((await whole.arrayBuffer()).byteLength).toBe(body.length)
  const { port } = await listen(handler, { unreadMs: 30 })
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await interrupted.opened
  let read = 0
  socket.on('error', () => undefined).on('data', (piece) => (read += piece.length))
  await once(socket, 'close')
  expect(read).toBeLessThan(body.length)
})

test('a client that leaves fires the signal of the call and ends the stream', async () => {
  const ended: string[] = []
  let left = (_reason: unknown): void => {}
  const reason = new Promise((resolve) => {
    left = resolve
  })
  async function* ticking(signal: AbortSignal): AsyncGenerator<string> {
    try {
      yield 'first'
      await once(signal, 'abort')
      yield 'late'
    } finally {
      ended.push('stream')
      left(signal.reason)
    }
  }
  const { port } = await listen(async (_request, call) => ({ status: 200, body: ticking(call.signal) }))
  const request: ClientRequest = sendRequest({ port })
  request.on('error', () => {}).end()
  const [response] = await once(request, 'response')
  await once(response, 'data')
  response.on('error', () => {})
  request.destroy()
  expect(isAgentError(await reason, 'INTERRUPTED')).toBe(true)
  expect(ended).toEqual(['stream'])
  expect(noted).toEqual([])
})

test('a stream that breaks cuts the connection', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield 'half'
    throw new Error('source broke')
  }
  const { url } = await listen(async () => ({ status: 200, body: broken() }))
  await expect(fetch(url).then((reply) => reply.text())).rejects.toThrow()
  expect(noted).toEqual(['an HTTP answer broke off'])
})

test.each([
  ['anything', ''],
  ['headers', 'POST / HTTP/1.1\r\nhost: x\r\n'],
  ['a body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nab'],
])('a client too slow with %s is answered 408', async (_what, written) => {
  const { port } = await listen(async () => ({ status: 200 }), { headersMs: 30, requestMs: 30 })
  const answer = await exchange(port, written)
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toContain('"code":"request_timeout"')
})

test('what is not HTTP is answered 400 in the envelope', async () => {
  const { port } = await listen(async () => ({ status: 200 }))
  expect(await exchange(port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*"code":"bad_request"/s)
  expect(await exchange(port, `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /)
})

test('a taken port is named', async () => {
  const { port } = await listen(async () => ({ status: 200 }))
  await expect(listen(async () => ({ status: 200 }), { port })).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    params: { host: '127.0.0.1', port },
  })
})

test('close ends idle connections at once and lets a running request end', async () => {
  const arrived = latch()
  const released = latch()
  const listener = await listen(
    async (request) => {
      if (request.url === '/slow') {
        arrived.open()
        await released.opened
      }
      return { status: 200, body: 'done' }
    },
    { closeMs: 60_000 },
  )
  const idle = connect(listener.port, '127.0.0.1')
  idle.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(idle, 'data')
  const slow = fetch(`${listener.url}/slow`)
  await arrived.opened
  const closing = listener.close()
  await once(idle.resume(), 'close')
  released.open()
  expect(await (await slow).text()).toBe('done')
  await closing
})

test('close does not wait for a connection on which nothing has been asked yet', async () => {
  const listener = await listen(async () => ({ status: 200, headers: {}, body: '' }), { closeMs: 60_000 })
  const socket = connect(listener.port, '127.0.0.1')
  await once(socket, 'connect')
  // The server has seen it once it has answered a later one.
  await (await fetch(listener.url)).text()
  await Promise.all([once(socket.resume(), 'close'), listener.close()])
})

test('close interrupts a request that does not end within the bound', async () => {
  const arrived = latch()
  const interrupted = latch()
  const listener = await listen(async (_request, call) => {
    call.signal.addEventListener('abort', interrupted.open)
    arrived.open()
    await interrupted.opened
    return { status: 200 }
  })
  const cut = fetch(listener.url).catch((error: unknown) => error)
  await arrived.opened
  await listener.close()
  await interrupted.opened
  expect(await cut).toBeInstanceOf(Error)
})

test('a connection that asks again and again before it is answered is closed', async () => {
  let asked = 0
  const { port } = await listen(async () => ({ status: 200, body: String(++asked) }))
  const socket = connect(port, '127.0.0.1')
    .on('error', () => undefined)
    .resume()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1_000))
  await once(socket, 'close')
  expect(asked).toBeLessThanOrEqual(8)
})

test('in a crowd connections that wait for nothing are closed', async () => {
  const { port } = await listen(async () => ({ status: 200 }))
  const open = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  const idle = await open()
  idle.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(idle, 'data')
  const closed = once(idle.resume(), 'close')
  let isClosed = false
  void closed.then(() => (isClosed = true))
  const crowd = await Promise.all(Array.from({ length: 511 }, open))
  expect(await (await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } })).text()).toBe('')
  crowd.push(await open())
  await closed
  expect(isClosed).toBe(true)
  for (const socket of crowd) socket.destroy()
})
