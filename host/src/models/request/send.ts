import { type Dispatcher, dispatchRequest } from './dispatch.ts'
import type { Endpoint } from './endpoint.ts'
import type { Reply } from './reply.ts'

/** Node's own symbol for the connection pool behind `fetch`; proxies configured for it keep working. */
const globalDispatcher = Symbol.for('undici.globalDispatcher.1')

export interface Outgoing {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  readonly signal: AbortSignal
}

/**
 * Sends to the provider's own base URL; a redirect is not followed, because it would carry the key elsewhere.
 * Without a `fetch` of the caller's the request goes to Node's connection pool directly, where that is understood.
 */
export async function send(endpoint: Endpoint, fetchNow: typeof fetch | undefined, outgoing: Outgoing): Promise<Reply> {
  const { method, signal } = outgoing
  const headers: Record<string, string> = {
    accept: method === 'POST' ? 'text/event-stream, application/json' : 'application/json',
    ...(outgoing.body ? { 'content-type': 'application/json' } : {}),
    ...endpoint.headers,
    ...authorization(endpoint),
    ...outgoing.headers,
  }
  const body = outgoing.body && JSON.stringify(outgoing.body)
  const url = new URL(`${endpoint.baseUrl}${outgoing.path}`)
  const pool = findPool()
  // `fetch` has its own words for an address with a password in it.
  if (!fetchNow && pool && isUnderstood(process.versions.undici) && url.username === '' && url.password === '')
    return dispatchRequest(pool, { method, url, headers: { 'user-agent': 'node', ...headers }, body, signal })
  const init: RequestInit = { method, headers, redirect: 'manual', signal, ...(body ? { body } : {}) }
  return (fetchNow ?? fetch)(url, pool ? Object.assign(init, { dispatcher: withoutTimeouts(pool) }) : init)
}

function authorization({ protocol, key }: Endpoint): Record<string, string> {
  const version: Record<string, string> = protocol === 'anthropic-messages' ? { 'anthropic-version': '2023-06-01' } : {}
  if (!key) return version
  if (protocol !== 'anthropic-messages') return { authorization: `Bearer ${key}` }
  // A token of a login is a bearer token; as x-api-key it is refused.
  if (key.startsWith('sk-ant-oat')) return { ...version, authorization: `Bearer ${key}`, 'anthropic-beta': 'oauth-2025-04-20' }
  return { ...version, 'x-api-key': key }
}

/** The calls of a pool are its inner language: other versions may have another. */
export function isUnderstood(version: string | undefined): boolean {
  return version !== undefined && /^[67]\./.test(version)
}

function findPool(): Dispatcher | undefined {
  // Reading a web class makes Node load its fetch, which sets the pool.
  void globalThis.Headers
  const shared: unknown = Reflect.get(globalThis, globalDispatcher)
  return isDispatcher(shared) ? shared : undefined
}

/** `fetch` gives up after 300 silent seconds; the one limit here is the API timeout, kept by the caller's signal. */
export function withoutTimeouts(shared: Dispatcher): Dispatcher {
  return { dispatch: (options, handler) => shared.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler) }
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'
}
