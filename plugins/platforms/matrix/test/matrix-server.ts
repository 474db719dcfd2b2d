import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'
import type { Content } from './matrix-answer.ts'
import { type Answer, no, ok } from './matrix-answer.ts'
import { answerAsked } from './matrix-endpoints.ts'
import { createLimiter, ofSynapse } from './matrix-limit.ts'
import { createLogins, type Logins } from './matrix-login.ts'
import { createStore, type MatrixStore } from './matrix-store.ts'

export interface MatrixServer
  extends Pick<FakeServer, 'breakNext' | 'release' | 'cut' | 'url'>,
    Pick<Logins, 'token' | 'devices' | 'expire'> {
  readonly http: FakeServer
  readonly store: MatrixStore
  /** Method and path of each request, in order. */
  readonly called: readonly string[]
  /** The next message is written, but the answer is lost. */
  loseAnswer(): void
  /** The next request whose path holds this is refused so. */
  refuseNext(path: string, status: number, body: Content): void
  [Symbol.asyncDispose](): Promise<void>
}

/** A homeserver for tests with one account, and what a real one refuses. */
export async function openMatrixServer(limit = ofSynapse): Promise<MatrixServer> {
  const countEvent = createLimiter(limit)
  const store = createStore()
  const called: string[] = []
  const logins = createLogins()
  const refusals: { path: string; reply: HttpReply }[] = []
  const transactions = new Map<string, Answer>()
  let lose = false

  /** Endpoints below `client/v3`, each transaction once. */
  const run = async (request: HttpRequest, url: URL, path: readonly string[]): Promise<Answer> => {
    const body = parseBody(request)
    if (!body) return no(400, 'M_NOT_JSON')
    const transaction = path.includes('send') || path.includes('redact') ? url.pathname : ''
    const known = transactions.get(transaction)
    const refused = transaction !== '' && !known ? countEvent() : undefined
    const answer = known ?? refused ?? (await answerAsked(store, { method: request.method, path, query: url.searchParams, body }))
    if (transaction !== '' && answer.status === 200) transactions.set(transaction, answer)
    return answer
  }
  const serve = async (request: HttpRequest, url: URL, path: readonly string[]): Promise<HttpReply> => {
    const login = logins.answer(path.at(-1), parseBody(request) ?? {})
    if (login) return json(login)
    if (path.includes('download')) return download(store, path, request.headers.authorization === `Bearer ${logins.token()}`)
    const problem = checkToken(request, logins.token())
    if (problem) return json(problem)
    if (path[0] === 'media') return json(upload(store, request, url.searchParams))
    const answer = await run(request, url, path)
    const lost = lose && path.includes('m.room.message')
    if (lost) lose = false
    // What an answer throws breaks the connection.
    if (lost) throw new Error('the answer is lost')
    return json(answer)
  }
  const handle = async (request: HttpRequest): Promise<HttpReply> => {
    const url = new URL(request.url, 'http://test')
    if (url.pathname.startsWith('/silent')) return new Promise(() => undefined)
    called.push(`${request.method} ${url.pathname}`)
    const refusal = refusals.find(({ path }) => decodeURIComponent(url.pathname).includes(path))
    if (refusal) return refusals.splice(refusals.indexOf(refusal), 1)[0]?.reply ?? refusal.reply
    return await serve(request, url, url.pathname.replace('/_matrix/', '').split('/').map(decodeURIComponent))
  }
  const server = await openFakeServer(handle)
  return {
    url: server.url,
    http: server,
    store,
    called,
    token: logins.token,
    devices: logins.devices,
    expire: (forGood) => {
      logins.expire(forGood)
      store.wake()
    },
    loseAnswer: () => {
      lose = true
    },
    refuseNext: (path, status, body) => void refusals.push({ path, reply: json({ status, body }) }),
    breakNext: server.breakNext,
    release: server.release,
    cut: server.cut,
    [Symbol.asyncDispose]: async () => {
      store.wake()
      await server[Symbol.asyncDispose]()
    },
  }
}

const json = ({ status, body }: Answer): HttpReply => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

function parseBody({ body }: HttpRequest): Content | undefined {
  if (body.length === 0) return {}
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as Content
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function checkToken({ headers }: HttpRequest, token: string): Answer | undefined {
  if (!headers.authorization) return no(401, 'M_MISSING_TOKEN', 'Missing access token')
  return headers.authorization === `Bearer ${token}` ? undefined : no(401, 'M_UNKNOWN_TOKEN', 'Unrecognised access token')
}

function upload({ media }: MatrixStore, { headers, body }: HttpRequest, query: URLSearchParams): Answer {
  if (body.length > 1 << 20) return no(413, 'M_TOO_LARGE', 'Upload request body is too large')
  const id = `media${media.size + 1}`
  media.set(id, { mime: headers['content-type'] ?? '', name: query.get('filename') ?? '', bytes: body })
  return ok({ content_uri: `mxc://test/${id}` })
}

function download({ media }: MatrixStore, path: readonly string[], allowed: boolean): HttpReply {
  if (path[0] !== 'client') return json(no(404, 'M_UNRECOGNIZED', 'Unrecognized request'))
  if (!allowed) return json(no(401, 'M_MISSING_TOKEN'))
  const file = path.at(-2) === 'test' ? media.get(path.at(-1) ?? '') : undefined
  return file ? { status: 200, headers: { 'Content-Type': file.mime }, body: file.bytes } : json(no(404, 'M_NOT_FOUND'))
}
