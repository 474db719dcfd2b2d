import { type Clock, type ProviderManifest, withTimeLimit } from '@agent/plugin-sdk'
import { systemClock } from '#kernel/clock.ts'
import { fetchModels } from './list/fetch-models.ts'
import type { ProviderContribution } from './request/endpoint.ts'
import { type Endpoint, type EndpointSource, openEndpoint } from './request/endpoint.ts'
import type { ProviderCatalog } from './select.ts'

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
