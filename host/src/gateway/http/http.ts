import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Call, type Clock, type HttpHandler, type HttpHead, type HttpReply, isOverWithin, type Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type BodyMemory, createBodyMemory } from '@agent/plugin-sdk/http'
import { createCall } from '#kernel/calls/call.ts'
import { systemClock } from '#kernel/clock.ts'
import { isLoopback } from '#kernel/egress/loopback.ts'
import { type BodyPace, createBodyPace } from './body-pace.ts'
import { checkReply } from './check-reply.ts'
import { type Held, isTooLarge, type NoBody, readBody } from './http-body.ts'
import { errorReply } from './http-error.ts'
import { sendReply } from './http-reply.ts'

/** Who answers a request, and how large a body is read for it. */
export interface Admitted {
  readonly handler: HttpHandler
  readonly maxBodyBytes: number
  /** Of a refusal that is not the handler's. */
  readonly headers?: HttpReply['headers']
}

export interface ListenerOptions {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** Nothing proves who asks: it listens only where nobody but this machine reaches it. */
  readonly open?: boolean | undefined
  /** Asked before the body is read: a reply refuses the request. */
  readonly admit: (head: HttpHead, call: Call) => Promise<HttpReply | Admitted>
  readonly log: Log
  /** Shared by bodies of people who proved nothing yet. */
  readonly held?: Held
  readonly clock?: Clock
  /** Longest wait for a request's headers; a slower client gets 408. */
  readonly headersMs?: number
  /** Longest wait for a whole request. */
  readonly requestMs?: number
  /** How long a client may leave unread what was written to it. */
  readonly unreadMs?: number
  /** How long `close` lets running requests end by themselves. */
  readonly closeMs?: number
}

export interface Listener {
  readonly url: string
  /** The address that it is bound to. */
  readonly host: string
  readonly port: number
  /** Idle connections end at once, running requests after a bound. */
  close(): Promise<void>
}

/** More open connections than these: those between two requests are closed. */
const manyConnections = 512
/** How long the rest of a refused body is dropped, so that the client sees the answer instead of a reset. */
const droppedMs = 10_000
const dropEveryMs = 5
/** Requests that one connection may have open. Nearly nobody sends a second one before the first is answered. */
const mostOfConnection = 8

/** Passes plain requests to one handler. Nothing is routed or parsed before it, so Node's own server is all that is needed. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { headersMs = 15_000, requestMs = 120_000, closeMs = 4_000, clock = systemClock } = options
  refuseOpen(options)
  const limits = {
    keepAliveTimeout: 72_000,
    requestTimeout: requestMs,
    headersTimeout: Math.min(headersMs, requestMs),
    connectionsCheckingInterval: Math.min(5_000, headersMs),
  }
  const open = new WeakMap<Socket, number>()
  const shared: AnswerOptions = { ...options, clock, memory: createBodyMemory(), pace: createBodyPace() }
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const others = open.get(socket) ?? 0
    if (others === mostOfConnection) socket.destroy()
    if (socket.destroyed) return
    open.set(socket, others + 1)
    const controller = new AbortController()
    response.once('close', () => {
      open.set(socket, (open.get(socket) ?? 1) - 1)
      if (!response.writableFinished) controller.abort(fail('INTERRUPTED'))
      if (!server.listening) server.closeIdleConnections()
    })
    void answer({ raw: request, response, signal: controller.signal }, shared)
  }
  const server = createServer(limits, onRequest)
  // Who waits to be asked for the body is asked when the head was admitted.
  server.on('checkContinue', onRequest)
  server.on('clientError', answerBrokenRequest)
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    if (connections.size > manyConnections) server.closeIdleConnections()
  })
  await listen(server, options)
  const port = portOf(server) ?? options.port
  return {
    port,
    host: options.host,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      // Node takes one that was opened ahead, and on which nothing has come yet, for one that is busy.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
      await isOverWithin({ clock, ms: closeMs }, closed)
      server.closeAllConnections()
      await closed
    },
  }
}

/** Throws where everybody would be believed who reaches the address. */
export function refuseOpen({ host, open = false }: Pick<ListenerOptions, 'host' | 'open'>): void {
  if (open && !isLoopback(host)) throw fail('BIND_UNSAFE', { host, setting: 'a key for it' })
}

function listen(server: Server, options: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(asListenError(error, options)))
    server.listen({ host: options.host, port: options.port }, resolve)
  })
}

interface Exchange {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly signal: AbortSignal
}

interface AnswerOptions extends ListenerOptions {
  readonly clock: Clock
  readonly memory: BodyMemory
  readonly pace: BodyPace
}

async function answer(exchange: Exchange, options: AnswerOptions): Promise<void> {
  const { raw, response, signal } = exchange
  let reply: HttpReply | 'cut'
  try {
    reply = await makeReply(exchange, options)
    if (reply !== 'cut') checkReply(reply)
  } catch (error) {
    if (!signal.aborted) options.log.error('an HTTP request failed', { url: pathOf(raw), error: String(error) })
    reply = errorReply(error)
  }
  if (reply === 'cut') return
  try {
    await sendReply(response, reply, { clock: options.clock, unreadMs: options.unreadMs ?? 60_000 })
    if (!raw.complete && !raw.destroyed) await dropRest(raw, options)
  } catch (error) {
    if (!signal.aborted) options.log.error('an HTTP answer broke off', { url: pathOf(raw), error: String(error) })
    response.destroy()
  }
}

async function makeReply({ raw, response, signal }: Exchange, { admit, held, memory, pace }: AnswerOptions): Promise<HttpReply | 'cut'> {
  const head = toHead(raw)
  const call = createCall(signal)
  const admitted = await admit(head, call)
  if ('status' in admitted) return admitted
  const { handler, maxBodyBytes, headers } = admitted
  const isAwaited = raw.headers.expect?.toLowerCase() === '100-continue'
  if (isAwaited && !isTooLarge(raw, maxBodyBytes)) response.writeContinue()
  const body = await readBody(raw, { limit: maxBodyBytes, memory, held, pace })
  if (typeof body === 'string') return refuseBody(body, maxBodyBytes, headers)
  const reply = await handler({ body, ...head }, call)
  if (reply?.status >= 400) memory.release(body)
  return reply
}

function refuseBody(reason: NoBody, limit: number, headers: HttpReply['headers']): HttpReply | 'cut' {
  if (reason === 'cut') return 'cut'
  const reply = errorReply(
    reason === 'too large' ? fail('HTTP_BODY_TOO_LARGE', { limit }) : fail('HTTP_CROWDED', undefined, { retryAfterMs: 5_000 }),
  )
  return { ...reply, headers: { ...headers, ...reply.headers } }
}

/** Drops what still comes, piece by piece: many such bodies at once hold nobody up. */
async function dropRest(raw: IncomingMessage, { clock, memory }: AnswerOptions): Promise<void> {
  const { socket } = raw
  raw.on('error', () => undefined)
  const over = new Promise((resolve) => raw.once('close', resolve))
  raw.on('data', (piece: Buffer) => {
    memory.release(piece)
    raw.pause()
    void clock.sleep(dropEveryMs).then(() => raw.resume())
  })
  if (!(await isOverWithin({ clock, ms: droppedMs }, over))) socket.destroy()
}

function toHead(raw: IncomingMessage): HttpHead {
  return { method: raw.method ?? 'GET', url: raw.url ?? '/', headers: joinHeaders(raw), remote: raw.socket.remoteAddress ?? '' }
}

/** Node joins every repeated header itself, except this one. */
function joinHeaders(raw: IncomingMessage): Readonly<Record<string, string>> {
  const cookies = raw.headers['set-cookie']
  const headers = raw.headers as Record<string, string>
  return cookies ? { ...headers, 'set-cookie': cookies.join(', ') } : headers
}

const pathOf = (raw: IncomingMessage): string => (raw.url ?? '').split('?', 1)[0] ?? ''

function portOf(server: Server): number | undefined {
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}

function asListenError(error: NodeJS.ErrnoException, options: ListenerOptions): Error {
  if (error.code !== 'EADDRINUSE') return error
  return fail('PORT_IN_USE', { host: options.host, port: options.port, setting: 'its port setting' }, { cause: error })
}

/** What never became a request: bad syntax, headers that are too large or too slow. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: { writable: boolean; end(text: string): void; destroy(): void }): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, code] = brokenRequests[error.code ?? ''] ?? ['400 Bad Request', 'bad_request']
  const body = JSON.stringify({
    error: { message: `The request could not be read: ${code.replaceAll('_', ' ')}.`, type: 'invalid_request_error', param: null, code },
  })
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

const brokenRequests: Readonly<Record<string, readonly [status: string, code: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request_timeout'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'headers_too_large'],
}
