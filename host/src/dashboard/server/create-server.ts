import type { Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cookieName, type LoginGuard } from '../auth/gate.ts'
import { type PageToken, tokenHeader } from '../auth/token.ts'
import { withoutBase } from '../base-path.ts'
import { findForeign, type Seat } from '../find-foreign.ts'
import { answerError, bodyLimit } from './answer-error.ts'

export interface ServerOptions extends Seat {
  /** Proxies whose word on who asks, and over what, is taken. */
  readonly proxies: readonly string[]
  readonly token: PageToken
  /** Absent on loopback, and where somebody took --insecure. */
  readonly gate: LoginGuard | undefined
  readonly log: Log
}

/** What is answered without the token. */
const publicDoors = new Set(['GET /api/status', 'GET /api/auth/me', 'POST /api/auth/login'])

/** The server with everything that holds for each of its doors. */
export async function createServer({ token, gate, log, proxies, ...seat }: ServerOptions): Promise<FastifyInstance> {
  const { fastify } = await import('fastify')
  const server = fastify({
    ...{ bodyLimit, logger: false, forceCloseConnections: true, return503OnClosing: false, requestTimeout: 30_000 },
    trustProxy: proxies.length > 0 && [...proxies],
    rewriteUrl: ({ url = '/' }) => withoutBase(url, seat.basePath),
  })
  server.removeContentTypeParser('text/plain')
  server.setErrorHandler((error, _request, reply) => answerError(reply, error, log))
  server.setNotFoundHandler((request, reply) => answerError(reply, notFound(request), log))
  server.addHook('onRequest', async (request, reply) => {
    setHeaders(reply)
    const { host, origin } = request.headers
    // A page that has no address brings the token instead, from wherever it was opened.
    const foreign = findForeign({ host, origin: origin === 'null' ? undefined : origin }, seat)
    if (foreign) throw fail('HTTP_FOREIGN', { what: foreign.what })
    // A gate that was taken away lets nobody stay either.
    await gate?.gates?.look()
    const folder = findFolder(request, seat)
    if (folder !== undefined) return reply.redirect(folder, 308)
    if (!isApi(request)) return
    reply.header('cache-control', 'no-store')
    if (allowOrigin(request, reply)) return reply.code(204).send()
    guardType(request)
    guardDoor(request, { token, gate })
  })
  // A body may come slowly, and the login that it was sent with end meanwhile.
  server.addHook('preHandler', async (request) => {
    if (isApi(request)) guardDoor(request, { token, gate })
  })
  return server
}

/** Addresses of the page are relative to its folder: who asks for the path without a slash is sent there. */
function findFolder({ originalUrl }: FastifyRequest, { basePath = '' }: Seat): string | undefined {
  const [path, query] = originalUrl.split('?')
  return basePath !== '' && path === basePath ? `${path}/${query === undefined ? '' : `?${query}`}` : undefined
}

/** Whether this browser may have the token: it is on this machine, or has logged in. */
export function isAdmitted(request: FastifyRequest, gate: LoginGuard | undefined): boolean {
  return gate === undefined || gate.isLoggedIn(readCookie(request))
}

export function readCookie(request: FastifyRequest, name = cookieName): string | undefined {
  const cookies = (request.headers.cookie ?? '').split(';').map((each) => each.trim())
  return cookies.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** A token that somebody has chosen is a login by itself: programs bring it. */
export const isProgram = ({ headers }: FastifyRequest, token: PageToken): boolean => token.isProgram(headers[tokenHeader])

function guardDoor(request: FastifyRequest, { token, gate }: Pick<ServerOptions, 'token' | 'gate'>): void {
  if (publicDoors.has(`${request.method} ${doorOf(request)}`) || isProgram(request, token)) return
  // A page whose login has ended asks for one, and one from before a restart has to be loaded again.
  if (!isAdmitted(request, gate)) throw fail('HTTP_LOGIN_NEEDED')
  if (!token.is(request.headers[tokenHeader])) throw fail('HTTP_TOKEN_INVALID')
}

/** A page of another origin can send other types without asking first. */
function guardType({ method, headers }: FastifyRequest): void {
  const hasBody = headers['content-length'] !== undefined ? headers['content-length'] !== '0' : headers['transfer-encoding'] !== undefined
  const type = headers['content-type'] ?? ''
  if (method !== 'GET' && method !== 'HEAD' && (hasBody || type !== '') && !/^application\/json *(;|$)/i.test(type))
    throw fail('HTTP_CONTENT_TYPE', { got: type.slice(0, 100) || 'a body without a type' })
}

/** Programs whose pages have no address may read what they got by the token. True where only leave was asked for. */
function allowOrigin(request: FastifyRequest, reply: FastifyReply): boolean {
  const { origin } = request.headers
  if (origin === 'null' || origin?.startsWith('file://')) {
    reply.header('access-control-allow-origin', origin).header('vary', 'Origin')
    reply.header('access-control-allow-headers', `content-type, ${tokenHeader}`)
    reply.header('access-control-allow-methods', 'GET, PUT, POST, PATCH, DELETE')
  }
  return request.method === 'OPTIONS'
}

function setHeaders(reply: FastifyReply): void {
  reply
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
}

const pathOf = (request: FastifyRequest): string => request.url.split('?')[0] ?? ''
/** The door that answers, however its address was spelled: `/%61pi/env` leads to `/api/env`. */
const doorOf = (request: FastifyRequest): string => request.routeOptions.url ?? ''
const isApi = (request: FastifyRequest): boolean => [doorOf(request), pathOf(request)].some((path) => /^\/+api(?:\/|$)/i.test(path))
const notFound = (request: FastifyRequest): Error => fail('HTTP_NOT_FOUND', { what: `${request.method} ${pathOf(request).slice(0, 200)}` })
