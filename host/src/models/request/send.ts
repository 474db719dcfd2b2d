import type { ModelEvent } from '@agent/plugin-sdk'
import type { Credential, UnprovedRequest } from './credential.ts'
import { dispatchRequest } from './dispatch.ts'
import type { Endpoint } from './endpoint.ts'
import { readRefusal } from './refusal.ts'
import type { Reply } from './reply.ts'

export interface Outgoing {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or what becomes JSON. */
  readonly body?: string | object
  readonly signal: AbortSignal
}

type Failed = Extract<ModelEvent, { type: 'failed' }>
export interface Answered {
  readonly reply: Reply
  /** The event that ends the stream, made of an answer with an error status. */
  readonly failed?: Failed
}

/** A credential decides how often it is worth it; this ends one that never stops. */
const mostTries = 16

/**
 * Sends to the provider's own base URL; a redirect is not followed, because it would carry the key elsewhere.
 */
export async function send(
  endpoint: Endpoint,
  fetchNow: typeof fetch | undefined,
  outgoing: Outgoing,
  now: () => number,
): Promise<Answered> {
  const request = prepare(endpoint, outgoing)
  const { credential } = endpoint
  if (credential) return prove({ endpoint, credential, fetchNow, now, signal: outgoing.signal }, request)
  const reply = await dispatch(fetchNow, request, outgoing.signal)
  return reply.ok ? { reply } : { reply, failed: await readRefusal(reply, endpoint, now()) }
}

interface Proving {
  readonly endpoint: Endpoint
  readonly credential: Credential
  readonly fetchNow: typeof fetch | undefined
  readonly now: () => number
  readonly signal: AbortSignal
}

async function prove({ endpoint, credential, fetchNow, now, signal }: Proving, request: UnprovedRequest): Promise<Answered> {
  for (let tries = 1; ; tries++) {
    const proof = await credential.authorize(request, signal, (key) => proofOf(endpoint, key))
    signal.throwIfAborted()
    const reply = await dispatch(fetchNow, { ...request, headers: { ...request.headers, ...proof } }, signal)
    credential.answered?.(reply.headers, proof)
    if (reply.ok) return { reply }
    const failed = await readRefusal(reply, { provider: endpoint.provider, key: secretOf(proof) }, now())
    const refusal = { class: failed.class, status: reply.status, retryAfterMs: failed.error.retryAfterMs, proof }
    if (tries === mostTries || !(await credential.refused?.(refusal, signal))) return { reply, failed }
  }
}

/** What an answer must not repeat to anybody. */
function secretOf(proof: Readonly<Record<string, string>>): string | undefined {
  const [value] = Object.values(proof)
  return proof.authorization?.replace(/^\w+ /, '') ?? value
}

function prepare(endpoint: Endpoint, outgoing: Outgoing): UnprovedRequest {
  const { method, path } = outgoing
  const headers: Record<string, string> = {
    accept: method === 'POST' ? 'text/event-stream, application/json' : 'application/json',
    ...(outgoing.body ? { 'content-type': 'application/json' } : {}),
    ...endpoint.headers,
    ...(endpoint.protocol === 'anthropic-messages' ? { 'anthropic-version': '2023-06-01' } : {}),
    ...(endpoint.key && !endpoint.credential ? proofOf(endpoint, endpoint.key) : {}),
    ...outgoing.headers,
  }
  const url = new URL(`${endpoint.baseUrl}${path}`)
  for (const [name, value] of Object.entries(endpoint.query ?? {})) url.searchParams.set(name, value)
  const { body } = outgoing
  return { method, url, headers, body: typeof body === 'object' ? JSON.stringify(body) : body }
}

async function dispatch(fetchNow: typeof fetch | undefined, request: UnprovedRequest, signal: AbortSignal): Promise<Reply> {
  const { method, url, headers, body } = request
  if (!fetchNow) return dispatchRequest({ method, url, headers: { 'user-agent': 'node', ...headers }, body, signal })
  return fetchNow(url, { method, headers, redirect: 'manual', signal, ...(body ? { body } : {}) })
}

/** The headers that carry a key or a token in a protocol. */
function proofOf({ protocol, keyHeader }: Pick<Endpoint, 'protocol' | 'keyHeader'>, key: string): Record<string, string> {
  if (keyHeader !== undefined) return { [keyHeader]: key }
  if (protocol === 'gemini-generate') return { 'x-goog-api-key': key }
  if (protocol !== 'anthropic-messages') return { authorization: `Bearer ${key}` }
  // A token of a login is a bearer token; as x-api-key it is refused.
  if (key.startsWith('sk-ant-oat')) return { authorization: `Bearer ${key}`, 'anthropic-beta': 'oauth-2025-04-20' }
  return { 'x-api-key': key }
}
