import type { Call, Clock, ModelEvent, ModelRequest, ProviderManifest } from '@agent/plugin-sdk'
import type { ProtocolDeps } from '../protocols/protocol.ts'
import { createWatches } from '../protocols/watch.ts'
import type { Endpoint, ProviderContribution } from '../request/endpoint.ts'

/** Time stands still: nothing ever comes too late. */
export const stillClock: Clock = {
  now: () => 0,
  sleep: (_ms, signal) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true })),
}

export function createTestCall(signal: AbortSignal = new AbortController().signal): Call {
  return { id: 'call_test', signal, deadline: 2 ** 31 - 1 }
}

export function createRequest(more: Partial<ModelRequest> = {}): ModelRequest {
  const messages = [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hello' }] }]
  return { model: 'fake-model', system: 'Be brief.', messages, tools: [], session: 'ses_1', ...more }
}

export function createDeps(more: Partial<Endpoint> & { readonly fetch?: typeof fetch; readonly clock?: Clock } = {}): ProtocolDeps {
  const { fetch: send = fetch, clock = stillClock, ...endpoint } = more
  let calls = 0
  return {
    endpoint: {
      provider: 'fake',
      protocol: 'openai-chat',
      baseUrl: 'http://127.0.0.1:1',
      key: undefined,
      headers: {},
      quirks: {},
      variables: {},
      ...endpoint,
    },
    clock,
    fetch: send,
    watches: createWatches({ clock, timeoutMs: 900_000, stallMs: 180_000, signal: new AbortController().signal }),
    newCallId: () => {
      calls += 1
      return `call_made_${calls}`
    },
  }
}

export function createProvider(
  spec: Partial<ProviderManifest> & { readonly id: string },
): ProviderContribution & { readonly kind: 'provider' } {
  const rest = {
    label: spec.id,
    aliases: [],
    baseUrlOfKeys: [],
    variables: [],
    protocolOfModels: [],
    baseUrlOfVariables: [],
    addresses: [],
    auth: 'api-key' as const,
    keyEnv: [],
    local: false,
    headers: {},
    quirks: {},
  }
  return { kind: 'provider', id: spec.id, spec: { ...rest, ...spec } }
}

export async function collect(stream: AsyncIterable<ModelEvent>): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

/** Deltas of one kind in a row as one, so that the whole text can be compared. */
export function joinDeltas(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const joined: ModelEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    if ((event.type === 'text' || event.type === 'reasoning') && last?.type === event.type) {
      joined[joined.length - 1] = { type: event.type, delta: last.delta + event.delta }
    } else joined.push(event)
  }
  return joined
}
