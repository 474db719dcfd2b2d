import { isUtf8 } from 'node:buffer'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRateLimiter, type RateLimiter } from '../../../../test/support/servers/rate-limiter.ts'
import { isTopic, type NtfyEvent } from '../src/wire.ts'

/** What goes wrong with the next publication. */
export type Fault =
  /** It is taken, and the connection breaks before the answer. */
  | { readonly type: 'lose-answer' }
  /** The connection breaks before it is taken. */
  | { readonly type: 'drop' }
  | { readonly type: 'status'; readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

/** A small server that keeps topics and refuses what an ntfy server refuses. */
export interface NtfyServer {
  readonly url: string
  /** Every request, as method and path. */
  readonly requests: readonly string[]
  /** Every message of every topic, in order. */
  readonly messages: readonly TopicEvent[]
  /** Somebody publishes. */
  say(topic: string, message: string, more?: Partial<NtfyEvent>): TopicEvent
  /** Gives a sign of life to everybody who listens. */
  keepAlive(): void
  /** Sends text to everybody who listens, as it is. */
  raw(text: string): void
  breakNext(...faults: readonly Fault[]): void
  /** Takes requests and answers none from now on; who listens hears nothing more. */
  halfOpen(): void
  /** Ends that, and forgets every fault that has not happened yet. */
  calm(): void
  /** Every message so far is too old to be kept. */
  forget(): void
  /** Breaks every connection. */
  cut(): void
  /** Ends every stream as a server does that is stopped. */
  hangUp(): void
  close(): Promise<void>
}

export interface NtfyServerOptions {
  /** `tk_…` or user:password, without which nobody may read or write. */
  readonly token?: string
  /** False for a server that keeps nothing. */
  readonly cache?: boolean
  /** False where the owner has lifted the limit for this visitor. */
  readonly limited?: boolean
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export type TopicEvent = NtfyEvent & { readonly topic: string }

interface World {
  readonly options: NtfyServerOptions
  readonly messages: TopicEvent[]
  readonly listeners: Map<ServerResponse, string>
  readonly faults: Fault[]
  readonly take: RateLimiter
  /** Messages before this index are forgotten. */
  kept: number
  silent: boolean
  /** Counts what got an id. */
  events: number
}

export async function openNtfyServer(options: NtfyServerOptions = {}): Promise<NtfyServer> {
  const take = createRateLimiter(options.now)
  const world: World = { options, messages: [], listeners: new Map(), faults: [], take, kept: 0, silent: false, events: 0 }
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.on('error', () => response.destroy()).on('close', () => world.listeners.delete(response))
    void answer(world, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const raw = (text: string): void => {
    if (!world.silent) for (const listener of world.listeners.keys()) listener.write(text)
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    messages: world.messages,
    say: (topic, message, more = {}) => publish(world, { ...createEvent(world, 'message', topic), message, ...more }),
    keepAlive: () => raw(`${JSON.stringify(createEvent(world, 'keepalive', ''))}\n`),
    raw,
    breakNext: (...faults) => void world.faults.push(...faults),
    halfOpen: () => {
      world.silent = true
    },
    calm: () => {
      world.silent = false
      world.faults.length = 0
    },
    forget: () => {
      world.kept = world.messages.length
    },
    cut: () => server.closeAllConnections(),
    hangUp: () => {
      for (const listener of world.listeners.keys()) listener.end()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const refusals = {
  40008: 'invalid since parameter',
  40010: 'invalid request: topic name is disallowed',
  40014: 'invalid request: attachments not allowed',
  40101: 'unauthorized',
  40301: 'forbidden',
  40401: 'page not found',
  42901: 'limit reached: too many requests',
} as const

/**
 * What a visitor may ask for: `visitor-request-limit-burst` and `visitor-request-limit-replenish` as they come. The refusal names no time.
 * https://docs.ntfy.sh/config/#rate-limiting
 */
const allowance = { name: 'visitor', burst: 60, everyMs: 5000 }

function refuse(response: ServerResponse, code: keyof typeof refusals): void {
  const http = Math.floor(code / 100)
  response.writeHead(http, { 'Content-Type': 'application/json' }).end(`${JSON.stringify({ code, http, error: refusals[code] })}\n`)
}

function createEvent(world: World, event: string, topic: string): TopicEvent {
  world.events += 1
  const time = Math.floor((world.options.now ?? Date.now)() / 1000)
  return { id: `event-${String(world.events).padStart(6, '0')}`, time, event, topic }
}

function publish(world: World, event: TopicEvent): TopicEvent {
  world.messages.push(event)
  if (world.silent) return event
  for (const [listener, topic] of world.listeners) if (topic === event.topic) listener.write(`${JSON.stringify(event)}\n`)
  return event
}

async function answer(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk)
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://ntfy')
  const [, topic = '', format, more] = pathname.split('/')
  if (world.silent || topic === 'silence') return
  if (world.options.limited !== false && world.take(allowance) > 0) return refuse(response, 42901)
  if (!isTopic(topic) || more !== undefined) return refuse(response, 40401)
  if (['docs', 'static', 'file', 'app', 'account', 'settings'].includes(topic)) return refuse(response, 40010)
  const denied = judge(world.options.token, request.headers.authorization)
  if (denied) return refuse(response, denied)
  if (request.method === 'GET' && format === 'json') return subscribe(world, topic, searchParams, response)
  if (!['POST', 'PUT'].includes(request.method ?? '') || format !== undefined) return refuse(response, 40401)
  take(world, topic, request, Buffer.concat(chunks), response)
}

/** A wrong token is nobody's; without one, somebody unknown is not allowed to. */
function judge(token: string | undefined, given: string | undefined): 40101 | 40301 | undefined {
  if (token === undefined) return undefined
  if (given === undefined) return 40301
  const right = token.includes(':') ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${token}`
  return given === right ? undefined : 40101
}

function take(world: World, topic: string, { headers }: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const fault = world.faults.shift()
  if (fault?.type === 'drop') return void response.destroy()
  if (fault?.type === 'status') return void response.writeHead(fault.status, fault.headers).end(fault.body)
  // What is no short text becomes an attachment, which this server does not keep.
  if (body.length > 4096 || !isUtf8(body)) {
    refuse(response, 40014)
    return
  }
  const tags = String(headers.tags ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  const event = publish(world, {
    ...createEvent(world, 'message', topic),
    message: body.toString().trim() || 'triggered',
    ...(headers.title ? { title: String(headers.title) } : {}),
    ...(tags.length > 0 ? { tags } : {}),
  })
  if (fault) return void response.destroy()
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(`${JSON.stringify(event)}\n`)
}

function subscribe(world: World, topic: string, query: URLSearchParams, response: ServerResponse): void {
  const poll = query.get('poll') === '1'
  const old = findOld(world, topic, query.get('since') ?? (poll ? 'all' : 'none'))
  if (!old) {
    refuse(response, 40008)
    return
  }
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' })
  if (!poll) response.write(`${JSON.stringify(createEvent(world, 'open', topic))}\n`)
  for (const event of old) response.write(`${JSON.stringify(event)}\n`)
  if (poll) response.end()
  else world.listeners.set(response, topic)
}

/** Undefined where `since` means nothing. After a message that is not kept, everything is new. */
function findOld(world: World, topic: string, since: string): readonly TopicEvent[] | undefined {
  const { cache = true, now = Date.now } = world.options
  const kept = cache ? world.messages.slice(world.kept).filter((event) => event.topic === topic) : []
  if (since === 'all') return kept
  if (since === 'none') return []
  if (/^[\w-]{12}$/.test(since)) return kept.slice(kept.findIndex(({ id }) => id === since) + 1)
  const [, number, unit] = /^(\d+)([smh]?)$/.exec(since) ?? []
  if (number === undefined) return undefined
  const span = { s: 1, m: 60, h: 3600 }[unit ?? '']
  const from = span === undefined ? Number(number) : Math.floor(now() / 1000) - Number(number) * span
  return kept.filter(({ time }) => time >= from)
}
