import { createHmac } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { count, type Target } from './target.ts'
import { hardTexts } from './texts.ts'
import { ask, askWithoutReading, chat, exchange, many, send } from './wire.ts'

const megabyte = 1_000_000

/** Opens connections, writes to each now and then, and waits for their ends elsewhere. */
async function hold(
  port: number,
  { connections, begin, drip }: { connections: number; begin: string; drip?: string },
): Promise<Promise<void>[]> {
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1'))
  return sockets.map((socket) => holdOne(socket, begin, drip))
}

function holdOne(socket: Socket, begin: string, drip?: string): Promise<void> {
  socket.on('error', () => undefined).resume()
  socket.write(begin)
  const writing = drip === undefined ? undefined : setInterval(() => socket.write(drip), 1_000)
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearInterval(writing)
      resolve()
    })
  })
}

const headOf = (path: string, more: string): string => `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${more}`
const keyOf = ({ key }: Target): string => `authorization: Bearer ${key}\r\n`

const signed = ({ callbacks, secret }: Target, body: string): Promise<string> =>
  send({
    port: callbacks,
    path: '/webhooks/signed',
    headers: {
      'content-type': 'application/json',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body,
  })

/** Connections that are no good requests. */
export const connectionAttacks: readonly Attack[] = [
  [
    'slow heads on 100 connections',
    async ({ api }, { leave }) => {
      for (const end of await hold(api, { connections: 100, begin: 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n', drip: 'x: y\r\n' }))
        leave(end)
    },
  ],
  [
    'slow bodies on 50 connections',
    async (target, { leave }) => {
      const begin = headOf('/v1/chat/completions', `${keyOf(target)}content-length: 9900000\r\n\r\n{"messages":`)
      for (const end of await hold(target.api, { connections: 50, begin, drip: ' ' })) leave(end)
    },
  ],
  [
    'slow callbacks on 50 connections',
    async ({ callbacks }, { leave }) => {
      const begin = headOf('/webhooks/signed', 'x-hub-signature-256: sha256=aa\r\ncontent-length: 900000\r\n\r\n{')
      for (const end of await hold(callbacks, { connections: 50, begin, drip: ' ' })) leave(end)
    },
  ],
  [
    'a wrong key with 9.9 MB on 100 connections',
    async ({ api }, { answers }) => {
      const headers = { 'content-type': 'application/json', authorization: 'Bearer wrong' }
      const body = Buffer.alloc(9.9 * megabyte, 'a')
      await many(100, 100, async () => count(answers, await send({ port: api, path: '/v1/chat/completions', headers, body })))
    },
  ],
  [
    'large callbacks of nobody on 100 connections',
    async ({ callbacks }, { answers }) => {
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${'a'.repeat(64)}` }
      const body = Buffer.alloc(megabyte, 'a')
      await many(300, 100, async () => count(answers, await send({ port: callbacks, path: '/webhooks/signed', headers, body })))
    },
  ],
  [
    'a flood of callbacks of nobody, and a real one',
    async (target, { answers }) => {
      const flood = many(2_000, 20, async () => void (await send({ port: target.callbacks, path: '/webhooks/signed', body: '{}' })))
      for (let event = 0; event < 10; event++) {
        count(answers, `the real one ${await signed(target, JSON.stringify({ event, at: Date.now() }))}`)
        await pause(50)
      }
      await flood
    },
  ],
  ['a proved callback of 900 levels', (target) => signed(target, `{"a":${'['.repeat(900)}${']'.repeat(900)}}`)],
  ['a proved callback of 400,000 levels', (target) => signed(target, `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`)],
  ['a proved callback of 450,000 values', (target) => signed(target, `[${'0,'.repeat(450_000)}0]`)],
  ['a head of 1 MB', ({ api }) => exchange(api, `GET /health HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(megabyte)}\r\n\r\n`)],
  ['5,000 headers', ({ api }) => exchange(api, `GET /health HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(5_000)}\r\n`)],
  ['an address of 1 MB', ({ api }) => exchange(api, `GET /v1/runs/run_1/events?after=${'9'.repeat(megabyte)} HTTP/1.1\r\nhost: x\r\n\r\n`)],
  [
    'chunks without end',
    (target) =>
      exchange(
        target.api,
        `${headOf('/v1/chat/completions', `${keyOf(target)}transfer-encoding: chunked\r\n\r\n`)}${`10000\r\n${'a'.repeat(65_536)}\r\n`.repeat(400)}`,
      ),
  ],
  [
    'a chunk extension of 2 MB',
    (target) =>
      exchange(
        target.api,
        `${headOf('/v1/chat/completions', `${keyOf(target)}transfer-encoding: chunked\r\n\r\n`)}1;${'a'.repeat(2 * megabyte)}\r\n`,
      ),
  ],
  ['two lengths', (target) => exchange(target.api, headOf('/v1/chat/completions', 'content-length: 5\r\ncontent-length: 6\r\n\r\nabcdef'))],
  [
    'a length and chunks',
    (target) => exchange(target.api, headOf('/v1/chat/completions', 'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n')),
  ],
  ['a negative length', (target) => exchange(target.api, headOf('/v1/chat/completions', 'content-length: -1\r\n\r\n'))],
  [
    'a websocket',
    ({ api }) =>
      exchange(
        api,
        `GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: a\r\n\r\n${'\u0081'.repeat(1_000)}`,
      ),
  ],
  ['HTTP/2', ({ api }) => exchange(api, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
  ['TLS', ({ api }) => exchange(api, Buffer.from('16030100a5010000a10303', 'hex'))],
  ['1 MB of noise', ({ api }) => exchange(api, Buffer.alloc(megabyte, 0x81))],
  ['a tunnel', ({ api }) => exchange(api, 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nhost: 169.254.169.254\r\n\r\n')],
  [
    '10,000 requests in one go',
    async ({ api }, { leave }) => {
      const socket = connect(api, '127.0.0.1')
      leave(holdOne(socket, 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(10_000)))
      await pause(1_500)
      socket.destroy()
    },
  ],
  [
    '10,000 requests in one go whose answers nobody reads',
    async ({ api }, { leave }) => {
      const socket = connect(api, '127.0.0.1').pause()
      socket.on('error', () => undefined)
      leave(new Promise((resolve) => socket.once('close', resolve)))
      socket.write(`GET /${'a'.repeat(2_000)} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(10_000))
      await pause(3_000)
      socket.destroy()
    },
  ],
  [
    '600 connections that say nothing',
    async ({ api }, { leave }) => {
      for (const end of await hold(api, { connections: 600, begin: '' })) leave(end)
      await pause(500)
    },
  ],
  [
    'addresses that climb',
    async ({ api, callbacks, key }, { answers }) => {
      const paths = [
        '/../../etc/passwd',
        '/v1/%2e%2e/%2e%2e/etc/passwd',
        '/v1/runs/..%2f..%2fx',
        '/v1/responses/%00',
        '/%',
        '//x/v1',
        '/v1/models/%ff',
        '/webhooks/../health',
        'http://169.254.169.254/',
      ]
      for (const path of paths)
        for (const port of [api, callbacks])
          count(answers, await exchange(port, `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`))
    },
  ],
  [
    '1,500 names of requests',
    (target, { answers }) =>
      many(1_500, 20, async (index) => {
        const headers = { 'idempotency-key': `name-${index}` }
        count(answers, await ask(target, '/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }, headers))
      }),
  ],
  [
    '500 conversations',
    (target, { answers }) =>
      many(500, 20, async (index) => count(answers, await ask(target, '/v1/responses', { input: 'hi', conversation: `hostile-${index}` }))),
  ],
  [
    '300 runs',
    (target, { answers }) => many(300, 20, async (index) => count(answers, await ask(target, '/v1/runs', { input: `run ${index}` }))),
  ],
]

/** Texts that are hard on parsers, as a request and as its answer: the model says them back. */
export const textAttacks: readonly Attack[] = Object.entries(hardTexts).map(([name, make]) => [
  `400 KB: ${name}`,
  (target) => chat(target, make(400_000)),
])

/** Readers that ask for an answer and read nothing of it for some seconds. */
async function holdReaders(target: Target, readers: number, request: { readonly stream: boolean; readonly wish: string }): Promise<void> {
  const body = { stream: request.stream, messages: [{ role: 'user', content: request.wish }] }
  const sockets = Array.from({ length: readers }, () => askWithoutReading(target, body))
  await pause(4_000)
  for (const socket of sockets) socket.destroy()
}

/** The model of one is as fast as it can be; many are a hundred times faster than models are, because the buffers of the system are large. */
export const readerAttacks: readonly Attack[] = [
  ['a paused reader of 300 MB', (target) => holdReaders(target, 1, { stream: true, wish: 'size 300' })],
  ['64 paused readers of 12 MB', (target) => holdReaders(target, 64, { stream: true, wish: 'size 12 200' })],
  ['64 paused readers of 1 MB as a whole', (target) => holdReaders(target, 64, { stream: false, wish: 'size 1 200' })],
]
