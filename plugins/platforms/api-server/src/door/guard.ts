import { createHash, timingSafeEqual } from 'node:crypto'
import type { HttpHead, HttpReply } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

/** What a request must present. */
export interface Guarded {
  readonly key: string | undefined
  readonly origins: readonly string[]
}

/** What is read here; some browsers ask for it late. */
const readHeaders = ['Authorization', 'Content-Type']
const exposedHeaders = 'X-Agent-Session-Id, X-Agent-Session-Key, X-Agent-Ignored, X-Agent-Model, Idempotency-Replayed'
const allowedMethods = 'GET, POST, DELETE, OPTIONS'

/** True for names and addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Without a key the only protection is that nobody else can ask: a web page of another origin and a rebound name are refused. */
export function guardOrigin(request: HttpHead, { key, origins }: Guarded): void {
  if (key !== undefined) return
  const host = request.headers.host ?? ''
  if (!isLoopback(host.replace(/:\d+$/, '').toLowerCase())) throw fail('HTTP_HOST', { host: host.slice(0, 200) })
  const { origin } = request.headers
  if (origin !== undefined && !isListed(origin, origins)) throw fail('HTTP_ORIGIN', { origin: origin.slice(0, 200) })
}

/** Compares in constant time. */
export function guardKey(request: HttpHead, { key }: Guarded): void {
  if (key === undefined) return
  const presented = /^bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (!timingSafeEqual(digest(presented), digest(key))) throw fail('HTTP_KEY_INVALID')
}

/** A page can send other types without asking first. */
export function guardContentType(request: HttpHead): void {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json *(;|$)/i.test(type)) throw fail('HTTP_CONTENT_TYPE', { got: type.slice(0, 100) || 'a body without a type' })
}

/** What every answer to a listed origin carries, errors included. */
export function corsHeaders(request: HttpHead, { origins }: Guarded): Readonly<Record<string, string>> {
  const { origin } = request.headers
  if (origin === undefined || !isListed(origin, origins)) return {}
  const allowed = origins.includes(origin)
    ? { 'access-control-allow-origin': origin, vary: 'Origin' }
    : { 'access-control-allow-origin': '*' }
  return { ...allowed, 'access-control-expose-headers': exposedHeaders }
}

/** Answers the question that a browser asks before the request itself. */
export function preflight(request: HttpHead, guarded: Guarded): HttpReply {
  const { origin = '' } = request.headers
  if (!isListed(origin, guarded.origins)) throw fail('HTTP_ORIGIN', { origin: origin.slice(0, 200) })
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': allowedMethods,
      'access-control-allow-headers': [...readHeaders, ...askedHeaders(request)].join(', '),
      'access-control-max-age': '600',
    },
  }
}

/** Client libraries describe themselves under ever new names; what is not read here can do no harm, and the page is a listed one. */
function askedHeaders({ headers }: HttpHead): readonly string[] {
  const asked = (headers['access-control-request-headers'] ?? '').split(',').map((name) => name.trim())
  return asked.filter((name) => /^[a-z0-9_-]{1,64}$/i.test(name)).slice(0, 64)
}

const isListed = (origin: string, origins: readonly string[]): boolean => origins.includes(origin) || origins.includes('*')

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
