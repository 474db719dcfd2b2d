import { type Clock, type ProviderManifest, withTimeLimit } from '@agent/plugin-sdk'
import { fromWireError, isAgentError } from '@agent/plugin-sdk/errors'
import { systemClock } from '#kernel/clock.ts'
import { classify, failedEvent } from './request/classify.ts'
import type { ProviderContribution } from './request/endpoint.ts'
import { type Endpoint, type EndpointSource, openEndpoint } from './request/endpoint.ts'
import { asRecord, reasonOf } from './request/refusal.ts'
import { send } from './request/send.ts'
import type { ProviderCatalog } from './select.ts'

/** Ids of the models that a provider offers, sorted; throws the same coded errors as a model call. */
export async function fetchModels(endpoint: Endpoint, fetchNow: typeof fetch | undefined, signal: AbortSignal): Promise<readonly string[]> {
  const path = endpoint.protocol === 'anthropic-messages' ? `${/\/v1$/.test(endpoint.baseUrl) ? '' : '/v1'}/models?limit=1000` : '/models'
  const answered = await send(endpoint, fetchNow, { method: 'GET', path, signal }, Date.now).catch((error: unknown) => {
    signal.throwIfAborted()
    if (isAgentError(error)) throw error
    throw fromWireError(failedEvent(endpoint, { class: 'disconnected', detail: reasonOf(error) }).error)
  })
  if (answered.failed) throw fromWireError(answered.failed.error)
  const body: unknown = await answered.reply.json().catch(() => undefined)
  const rows = asRecord(body)?.data
  if (!Array.isArray(rows)) {
    const detail = 'its list of models cannot be read'
    throw fromWireError(failedEvent(endpoint, { class: classify({ status: 400, message: detail }), detail }).error)
  }
  return rows
    .map((row) => asRecord(row)?.id)
    .filter((id) => typeof id === 'string')
    .sort()
}

export interface FoundServer {
  readonly provider: string
  readonly label: string
  readonly baseUrl: string
  readonly models: readonly string[]
}

interface ProbeDeps extends EndpointSource {
  readonly catalog: ProviderCatalog
  readonly fetch: typeof fetch
  readonly clock?: Clock
  /** Longest wait for each server. */
  readonly waitMs?: number
}

/** Asks every local server once, all at the same time. Only for `agent model`, `agent setup` and `agent doctor`. */
export async function probeLocalServers(deps: ProbeDeps, signal: AbortSignal): Promise<readonly FoundServer[]> {
  const local = deps.catalog.of('provider').filter(({ spec }) => spec.local && spec.protocol && spec.baseUrl)
  const found = await Promise.all(local.map((contribution) => probe(contribution, deps, signal)))
  signal.throwIfAborted()
  return found.filter((server) => server !== undefined)
}

async function probe({ id, spec }: ProviderContribution, deps: ProbeDeps, signal: AbortSignal): Promise<FoundServer | undefined> {
  const { clock = systemClock, waitMs: ms = 300 } = deps
  try {
    const endpoint = openEndpoint({ id, spec }, deps)
    const models = await withTimeLimit({ clock, signal, ms, what: spec.label }, (own) => fetchModels(endpoint, deps.fetch, own))
    return describe(spec, endpoint, models)
  } catch {
    // A server that is not there, is silent or is none of these is not on offer.
    return undefined
  }
}

function describe(spec: ProviderManifest, endpoint: Endpoint, models: readonly string[]): FoundServer {
  return { provider: spec.id, label: spec.label, baseUrl: endpoint.baseUrl, models }
}
