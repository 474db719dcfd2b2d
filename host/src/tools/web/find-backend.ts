import type { WebSource } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Catalog, Contribution } from '#kernel/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'

export type WebMethod = keyof WebSource

export interface FindOptions {
  readonly catalog: Pick<Catalog, 'plugins' | 'webBackends'>
  /** `web.backend`; empty where nobody has chosen. */
  readonly wanted: string
}

/**
 * The backend that does this: the chosen one, else the first by name that is ready and can. Undefined where none can.
 * Throws what to do where the chosen one cannot be used.
 */
export function findBackend({ catalog, wanted }: FindOptions, method: WebMethod): Contribution<'web-backend'> | undefined {
  const ready = [...catalog.webBackends()].sort((a, b) => (a.id < b.id ? -1 : 1))
  const candidates = wanted === '' ? ready : ready.filter(({ id }) => id === wanted)
  if (wanted !== '' && candidates.length === 0) throw explainMissing(catalog, wanted)
  return candidates.find(({ spec }) => spec.capabilities[method])
}

/** Whether a tool that needs this is offered. It is too where the choice is wrong, so that somebody is told. */
export function offersWeb(options: FindOptions, method: WebMethod): boolean {
  try {
    return findBackend(options, method) !== undefined
  } catch (error) {
    if (isAgentError(error)) return true
    throw error
  }
}

function explainMissing({ plugins }: FindOptions['catalog'], wanted: string): Error {
  const found = plugins.flatMap((plugin) =>
    plugin.contributions.flatMap(({ kind, id, reason }) => (kind === 'web-backend' ? [{ plugin: plugin.id, id, reason }] : [])),
  )
  const blocked = found.find(({ id }) => id === wanted)
  if (blocked?.reason) {
    const { text, fix } = blocked.reason
    return fail('PLUGIN_BLOCKED', { plugin: blocked.plugin, reason: text, fix: fix ?? '' })
  }
  const known = found.map(({ id }) => id)
  const nearest = nearestName(wanted, known)
  return fail('WEB_BACKEND_UNKNOWN', nearest === undefined ? { backend: wanted } : { backend: wanted, nearest })
}
