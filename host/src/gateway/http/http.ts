import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import {
  type Clock,
  type HttpHandler,
  type HttpReply,
  type HttpRequest,
  isOverWithin,
  type ListenOptions,
  type Log,
} from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createCall } from '#kernel/calls/call.ts'
import { systemClock } from '#kernel/clock.ts'
import { readBody } from './http-body.ts'
import { errorReply } from './http-error.ts'
import { sendReply } from './http-reply.ts'

export interface ListenerOptions extends ListenOptions {
  readonly handler: HttpHandler
  readonly log: Log
  readonly clock?: Clock
  /** Longest wait for a request's headers; a slower client gets 408. */
  readonly headersMs?: number
  /** Longest wait for a whole request. */
  readonly requestMs?: number
  /** How long `close` lets running requests end by themselves. */
  readonly closeMs?: number
}

export interface Listener {
  readonly url: string
  readonly port: number
  /** Idle connections end at once, running requests after a bound. */
  close(): Promise<void>
}

/** Passes plain requests to one handler. Nothing is routed or parsed before it, so Node's own server is all that is needed. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { headersMs = 15_000, requestMs = 120_000, closeMs = 4_000, clock = systemClock } = options
  const server = createServer(
    {
      keepAliveTimeout: 72_000,
      requestTimeout: requestMs,
      headersTimeout: Math.min(headersMs, requestMs),
      connectionsCheckingInterval: Math.min(5_000, headersMs),
    },
    (request, response) => {
      const controller = new AbortController()
      response.once('close', () => {
        if (!response.writableFinished) controller.abort(fail('INTERRUPTED'))
        if (!server.listening) server.closeIdleConnections()
      })
      void answer(request, response, controller.signal, options)
    },
  )
  server.on('clientError', answerBrokenRequest)
  await listen(server, options)
  const port = portOf(server) ?? options.port
  return {
    port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      await isOverWithin({ clock, ms: closeMs }, closed)
      server.closeAllConnections()
      await closed
    },
  }
}

function listen(server: Server, options: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(asListenError(error, options)))
    server.listen({ host: options.host, port: options.port }, resolve)
  })
}

async function answer(raw: IncomingMessage, response: ServerResponse, signal: AbortSignal, options: ListenerOptions): Promise<void> {
  let reply: HttpReply
  try {
    const body = await readBody(raw, options.maxBodyBytes)
    if (body === 'cut') return
    reply =
      body === 'too large'
        ? errorReply(fail('HTTP_BODY_TOO_LARGE', { limit: options.maxBodyBytes }))
        : await options.handler(toRequest(raw, body), createCall(signal))
  } catch (error) {
    if (!signal.aborted) options.log.error('an HTTP request failed', { url: pathOf(raw), error: String(error) })
    reply = errorReply(error)
  }
  try {
    await sendReply(response, reply)
  } catch (error) {
    if (!signal.aborted) options.log.error('an HTTP answer broke off', { url: pathOf(raw), error: String(error) })
    response.destroy()
  }
}

function toRequest(raw: IncomingMessage, body: Uint8Array): HttpRequest {
  return { method: raw.method ?? 'GET', url: raw.url ?? '/', headers: joinHeaders(raw), body, remote: raw.socket.remoteAddress ?? '' }
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

function asListenError(error: NodeJS.ErrnoException, options: ListenOptions): Error {
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
