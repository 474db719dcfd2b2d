import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Body = Readonly<Record<string, unknown>>

/** One scripted answer of a fake model server. What is not named is left out. */
export interface FakeAnswer {
  /** A list is sent as that many deltas. */
  readonly text?: string | readonly string[]
  readonly reasoning?: string | readonly string[]
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args: string }[]
  readonly usage?: { readonly input?: number; readonly output?: number; readonly cached?: number; readonly reasoning?: number }
  /** The vendor's own word; by default it follows from `calls`. */
  readonly stop?: string
  /** Refuse with this status instead of answering. */
  readonly refuse?: {
    readonly status: number
    readonly message: string
    readonly type?: string
    readonly code?: string
    readonly headers?: Record<string, string>
  }
  /** An error inside the stream, after the text. */
  readonly error?: Body
  /** Destroy the connection after the text. */
  readonly cut?: boolean
  /** Never answer (`headers`), or fall silent after the text (`body`). */
  readonly hang?: 'headers' | 'body'
  /** Break the connection off instead of answering. */
  readonly drop?: boolean
  /** What a server says that is no model. */
  readonly raw?: { readonly type: string; readonly body: string }
}

export interface FakeRequest {
  readonly method: string
  readonly path: string
  /** What follows the `?`. */
  readonly query: string
  readonly headers: IncomingMessage['headers']
  readonly body: Body
  /** The body as it came. */
  readonly raw: string
}

/** Where a vendor is stricter, or more generous, than the one that the protocol comes from. */
export interface VendorRules {
  /** Fields of the request that it takes beside the known ones. */
  readonly takes?: readonly string[]
  /** Known fields that it refuses, in the request or in a message. */
  readonly refuses?: readonly string[]
  /** What an id of a call must look like. */
  readonly callId?: RegExp
  /** The field that its reasoning comes in. */
  readonly reasoning?: 'reasoning' | 'reasoning_content'
  /** Where it looks for the key, and nowhere else. */
  readonly keyHeader?: string
  /** It knows people by the token of a login, and looks for that as `Bearer` alone. */
  readonly bearer?: true
  /** Refuses a request to a model that does not have it. */
  readonly needsHeader?: string
  /** The model is a part of the path and not of the body, which has to say this version. */
  readonly modelInPath?: string
  /** The request comes in an envelope, with the model and the project; a token of a login is asked for. */
  readonly envelope?: 'code-assist'
  /** It refuses every key. */
  readonly refusesKeys?: true
  /** A template writes its prompt that takes person and agent in turns. */
  readonly strictRoles?: true
  /** It counts tokens also for whom it was not asked to. */
  readonly countsUnasked?: true
}

export interface FakeOptions {
  readonly rules?: VendorRules
  /** Only this key is let in; without it every one is. */
  readonly key?: string
  readonly models?: readonly string[]
  /** Taken one by one, the last one again and again; or decided from the request. */
  readonly answers?: readonly FakeAnswer[] | ((request: FakeRequest) => FakeAnswer)
}

export interface FakeVendor extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string
  /** All requests so far, refused ones included. */
  readonly requests: readonly FakeRequest[]
  /** Resolves when a client has closed a connection before its answer was complete. */
  readonly abandoned: Promise<void>
}

export interface Refused {
  readonly status: number
  readonly body: Body
  readonly headers?: Record<string, string>
}

export interface Pieces {
  readonly begin: readonly (string | Uint8Array)[]
  readonly rest: readonly (string | Uint8Array)[]
}

/** One protocol of a vendor: what is refused, and how an answer is written down. */
export interface FakeDialect {
  check(request: FakeRequest, models: readonly string[], rules: VendorRules): Refused | undefined
  refuse(refusal: NonNullable<FakeAnswer['refuse']>): Refused
  /** The event stream in the pieces that are written one by one, up to and including the text; then what follows it. */
  stream(answer: FakeAnswer, request: FakeRequest, rules: VendorRules): Pieces
  /** Absent: an event stream. */
  readonly contentType?: string
  /** Whether it streams; by default the body says so. */
  streams?(request: FakeRequest): boolean
  whole(answer: FakeAnswer, request: FakeRequest): Body
}

export interface Route {
  readonly dialect: FakeDialect
  isKey(headers: IncomingMessage['headers'], key: string, request: FakeRequest): boolean
  readonly models: Body | ((request: FakeRequest) => Body)
  /** Answered whatever the script says: it is no conversation. */
  readonly said?: Body
}

/** An HTTP server on a free loopback port that speaks the wire protocol of a vendor. */
export async function startFakeVendor(
  options: FakeOptions,
  route: (request: FakeRequest, models: readonly string[]) => Route | undefined,
): Promise<FakeVendor> {
  const requests: FakeRequest[] = []
  const abandoned = withResolvers()
  const { models = ['fake-model'], rules = {} } = options
  let taken = 0
  const answerTo = (request: FakeRequest): FakeAnswer => {
    const { answers = [{ text: 'Hello from the fake.' }] } = options
    if (typeof answers === 'function') return answers(request)
    taken += 1
    return answers[Math.min(taken, answers.length) - 1] ?? {}
  }
  const isKnown = (found: Route, request: FakeRequest): boolean => {
    const { key } = options
    if (key === undefined) return true
    if (rules.bearer) return request.headers.authorization === `Bearer ${key}` && request.headers['x-api-key'] === undefined
    return rules.keyHeader ? request.headers[rules.keyHeader] === key : found.isKey(request.headers, key, request)
  }
  const server = createServer((incoming, reply: Reply) => {
    reply.on('close', () => {
      if (!reply.writableFinished && !reply.locallyCut) abandoned.resolve()
    })
    serve(incoming, reply).catch((error: unknown) => reply.destroy(error instanceof Error ? error : undefined))
  })
  const serve = async (incoming: IncomingMessage, reply: Reply): Promise<void> => {
    const request = await readRequest(incoming)
    requests.push(request)
    const found = route(request, models)
    if (!found) return sendJson(reply, 404, { error: { message: `Unknown request URL: ${request.method} ${request.path}` } })
    const { dialect } = found
    const isLetIn = rules.refusesKeys ? request.headers.authorization === undefined : isKnown(found, request)
    if (!isLetIn) {
      return refuse(
        reply,
        dialect.refuse({
          status: 401,
          message: 'Incorrect API key provided: sk-fa*****key.',
          type: 'authentication_error',
          code: 'invalid_api_key',
        }),
      )
    }
    if (request.method === 'GET') return sendJson(reply, 200, typeof found.models === 'function' ? found.models(request) : found.models)
    if (rules.needsHeader && request.headers[rules.needsHeader] === undefined) {
      return refuse(reply, dialect.refuse({ status: 400, message: `missing header ${rules.needsHeader}` }))
    }
    const refused = dialect.check(request, models, rules)
    if (refused) return refuse(reply, refused)
    if (found.said) return sendJson(reply, 200, found.said)
    const answer = answerTo(request)
    if (answer.refuse) return refuse(reply, dialect.refuse(answer.refuse))
    if (answer.hang === 'headers') return
    if (answer.drop) return cutOff(reply)
    if (answer.raw) return void reply.writeHead(200, { 'content-type': answer.raw.type }).end(answer.raw.body)
    if (!(dialect.streams?.(request) ?? request.body.stream === true)) return sendJson(reply, 200, dialect.whole(answer, request))
    writeStream(reply, answer, dialect.stream(answer, request, rules), dialect.contentType)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    abandoned: abandoned.promise,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

type Reply = ServerResponse & { locallyCut?: boolean }

function writeStream(reply: Reply, answer: FakeAnswer, { begin, rest }: Pieces, type = 'text/event-stream; charset=utf-8'): void {
  reply.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' })
  for (const piece of begin) reply.write(piece)
  if (answer.hang === 'body') return
  if (answer.cut) {
    // Only after what was written has left, so that the client sees a beginning.
    reply.write('', () => cutOff(reply))
    return
  }
  for (const piece of rest) reply.write(piece)
  reply.end()
}

function cutOff(reply: Reply): void {
  reply.locallyCut = true
  reply.destroy()
}

async function readRequest(incoming: IncomingMessage): Promise<FakeRequest> {
  const raw = await text(incoming)
  const body = raw === '' ? {} : (JSON.parse(raw) as Body)
  const [path = '', query = ''] = (incoming.url ?? '').split('?')
  return { method: incoming.method ?? '', path, query, headers: incoming.headers, body, raw }
}

function refuse(reply: ServerResponse, { status, body, headers }: Refused): void {
  sendJson(reply, status, body, headers)
}

function sendJson(reply: ServerResponse, status: number, body: Body, headers: Record<string, string> = {}): void {
  reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

function withResolvers(): { promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve: () => resolve() }
}

/** A text in the deltas that it is sent in. */
export function deltasOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? (value.match(/\s*\S+\s*/g) ?? []) : value
}

/** Arguments in pieces, those of parallel calls in turns. */
export function interleave(calls: readonly { readonly args: string }[]): readonly { readonly index: number; readonly piece: string }[] {
  const pieces: { index: number; piece: string }[] = []
  const longest = Math.max(0, ...calls.map(({ args }) => args.length))
  for (let start = 0; start < longest; start += 7) {
    for (const [index, { args }] of calls.entries()) if (start < args.length) pieces.push({ index, piece: args.slice(start, start + 7) })
  }
  return pieces
}

export function listOf(value: unknown): readonly Body[] {
  return Array.isArray(value) ? (value as readonly Body[]) : []
}
