import { dispatchRequest } from './dispatch.ts'
import type { Endpoint } from './endpoint.ts'
import type { Reply } from './reply.ts'

export interface Outgoing {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  readonly signal: AbortSignal
}

/**
 * Sends to the provider's own base URL; a redirect is not followed, because it would carry the key elsewhere.
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
  if (!fetchNow) return dispatchRequest({ method, url, headers: { 'user-agent': 'node', ...headers }, body, signal })
  return fetchNow(url, { method, headers, redirect: 'manual', signal, ...(body ? { body } : {}) })
}

function authorization({ protocol, key }: Endpoint): Record<string, string> {
  const version: Record<string, string> = protocol === 'anthropic-messages' ? { 'anthropic-version': '2023-06-01' } : {}
  if (!key) return version
  if (protocol !== 'anthropic-messages') return { authorization: `Bearer ${key}` }
  // A token of a login is a bearer token; as x-api-key it is refused.
  if (key.startsWith('sk-ant-oat')) return { ...version, authorization: `Bearer ${key}`, 'anthropic-beta': 'oauth-2025-04-20' }
  return { ...version, 'x-api-key': key }
}
