import { type Clock, type Context, type LinkedSignals, linkSignals, requireReach } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type ToldRequest, tellRequest } from './tell-request.ts'

export interface FetchLimits {
  readonly plugin: string
  readonly net: Parameters<typeof requireReach>[1]
  readonly fetch: Context['fetch']
  /** The life of the context. */
  readonly signal: AbortSignal
  readonly clock: Pick<Clock, 'now'>
  /** Hears of each request once it was answered or has failed. */
  readonly onRequest: (told: ToldRequest) => void
}

/** A fetch that reaches what the manifest declares, and ends with the context or with the author's own signal, the reading of the body included. */
export function limitFetch({ plugin, net, fetch, signal, clock, onRequest }: FetchLimits): Context['fetch'] {
  const running = new Set<LinkedSignals>()
  // Nobody tells when a body was read: then its stream is garbage, and the link may go.
  const bodies = new FinalizationRegistry<LinkedSignals>((link) => end(link))
  const end = (link: LinkedSignals): void => {
    running.delete(link)
    link[Symbol.dispose]()
  }
  const endAll = (): void => {
    for (const link of running) link.abort(signal.reason)
    running.clear()
  }
  signal.addEventListener('abort', endAll, { once: true })
  return async (url, init) => {
    if (signal.aborted) throw fail('PLUGIN_INACTIVE', { plugin })
    requireReach(plugin, net, url)
    const link = linkSignals(init?.signal ?? undefined)
    running.add(link)
    const startedAt = clock.now()
    const ms = (): number => clock.now() - startedAt
    try {
      const response = await fetch(url, { ...init, signal: link.signal })
      onRequest(tellRequest(url, init?.method, { status: response.status, ms: ms() }))
      if (response.body) bodies.register(response.body, link)
      else end(link)
      return response
    } catch (error) {
      end(link)
      onRequest(tellRequest(url, init?.method, { error, ms: ms() }))
      throw error
    }
  }
}
