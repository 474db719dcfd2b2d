import type { ProviderManifest } from '@agent/plugin-sdk'
import { fromWireError } from '@agent/plugin-sdk/errors'
import { classify, failedEvent } from './classify.ts'
import { type Endpoint, type EndpointSource, openEndpoint } from './endpoint.ts'
import { asRecord, readRefusal, reasonOf } from './refusal.ts'
import type { ProviderCatalog } from './select.ts'
import { send } from './send.ts'

/** Ids of the models that a provider offers, sorted; throws the same coded errors as a model call. */
export async function fetchModels(endpoint: Endpoint, fetchNow: typeof fetch, signal: AbortSignal): Promise<readonly string[]> {
  const path = endpoint.protocol === 'anthropic-messages' ? `${/\/v1$/.test(endpoint.baseUrl) ? '' : '/v1'}/models?limit=1000` : '/models'
  const response = await send(endpoint, fetchNow, { method: 'GET', path, signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw fromWireError(failedEvent(endpoint, { class: 'disconnected', detail: reasonOf(error) }).error)
  })
  if (!response.ok) throw fromWireError((await readRefusal(response, endpoint, Date.now())).error)
  const body: unknown = await response.json().catch(() => undefined)
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

/** Asks every local server once, all at the same time. Only for `agent model`, `agent setup` and `agent doctor`. */
export async function probeLocalServers(
  deps: EndpointSource & { readonly catalog: ProviderCatalog; readonly fetch: typeof fetch },
  signal: AbortSignal,
  waitMs = 300,
): Promise<readonly FoundServer[]> {
  const local = deps.catalog.providers().filter(({ spec }) => spec.local && spec.protocol && spec.baseUrl)
  const found = await Promise.all(
    local.map(async (contribution): Promise<FoundServer | undefined> => {
      const endpoint = openEndpoint(contribution, deps)
      const limit = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
      return fetchModels(endpoint, deps.fetch, limit).then(
        (models) => describe(contribution.spec, endpoint, models),
        () => undefined,
      )
    }),
  )
  signal.throwIfAborted()
  return found.filter((server) => server !== undefined)
}

function describe(spec: ProviderManifest, endpoint: Endpoint, models: readonly string[]): FoundServer {
  return { provider: spec.id, label: spec.label, baseUrl: endpoint.baseUrl, models }
}
