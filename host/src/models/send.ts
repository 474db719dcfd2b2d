import type { Endpoint } from './endpoint.ts'

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean
}

/** Node's own symbol for the connection pool behind `fetch`; proxies configured for it keep working. */
const globalDispatcher = Symbol.for('undici.globalDispatcher.1')

export interface Outgoing {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  readonly signal: AbortSignal
}

/** Sends to the provider's own base URL; a redirect is not followed, because it would carry the key elsewhere. */
export function send(endpoint: Endpoint, fetchNow: typeof fetch, outgoing: Outgoing): Promise<Response> {
  const init: RequestInit = {
    method: outgoing.method,
    headers: {
      accept: outgoing.method === 'POST' ? 'text/event-stream, application/json' : 'application/json',
      ...(outgoing.body ? { 'content-type': 'application/json' } : {}),
      ...endpoint.headers,
      ...authorization(endpoint),
      ...outgoing.headers,
    },
    redirect: 'manual',
    signal: outgoing.signal,
    ...(outgoing.body ? { body: JSON.stringify(outgoing.body) } : {}),
  }
  return fetchNow(`${endpoint.baseUrl}${outgoing.path}`, patient(init))
}

function authorization({ protocol, key }: Endpoint): Record<string, string> {
  const version: Record<string, string> = protocol === 'anthropic-messages' ? { 'anthropic-version': '2023-06-01' } : {}
  if (!key) return version
  if (protocol !== 'anthropic-messages') return { authorization: `Bearer ${key}` }
  // A token of a login is a bearer token; as x-api-key it is refused.
  if (key.startsWith('sk-ant-oat')) return { ...version, authorization: `Bearer ${key}`, 'anthropic-beta': 'oauth-2025-04-20' }
  return { ...version, 'x-api-key': key }
}

/** `fetch` gives up after 300 silent seconds; the one limit here is the API timeout, kept by the caller's signal. */
function patient(init: RequestInit): RequestInit {
  // Reading a web class makes Node load its fetch, which sets the dispatcher.
  void globalThis.Headers
  const shared: unknown = Reflect.get(globalThis, globalDispatcher)
  if (!isDispatcher(shared)) return init
  return Object.assign(init, { dispatcher: withoutTimeouts(shared) })
}

export function withoutTimeouts(shared: Dispatcher): Dispatcher {
  return { dispatch: (options, handler) => shared.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler) }
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'
}
