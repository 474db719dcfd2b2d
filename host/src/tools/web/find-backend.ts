import type { WebSource } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { type Catalog, type Contribution, listedOf } from '#kernel/catalog/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'

export type WebMethod = keyof WebSource

export interface FindOptions {
  readonly catalog: Pick<Catalog, 'plugins' | 'of'>
  /** `web.backend`; empty where nobody has chosen. */
  readonly wanted: string
}

/**
 * The backend that does this: the chosen one, else the first that is ready and can: those whose key is set before those that need none, each by name.
 * Undefined where none can.
 * Throws what to do where the chosen one cannot be used.
 */
export function findBackend({ catalog, wanted }: FindOptions, method: WebMethod): Contribution<'web-backend'> | undefined {
  const ready = [...catalog.of('web-backend')].sort((a, b) => Number(hasKey(b)) - Number(hasKey(a)) || (a.id < b.id ? -1 : 1))
  const candidates = wanted === '' ? ready : ready.filter(({ id }) => id === wanted)
  if (wanted !== '' && candidates.length === 0) throw explainMissing(catalog, wanted)
  return candidates.find(({ spec }) => spec.capabilities[method])
}

/** One that is ready has every variable that it requires. */
const hasKey = ({ plugin }: Contribution<'web-backend'>): boolean => plugin.manifest.env.some(({ secret, required }) => secret && required)

/** Whether a tool that needs this is offered. It is too where the choice is wrong, so that somebody is told. */
export function offersWeb(options: FindOptions, method: WebMethod): boolean {
  try {
    return findBackend(options, method) !== undefined
  } catch (error) {
    if (isAgentError(error)) return true
    throw error
  }
}

function explainMissing(catalog: FindOptions['catalog'], wanted: string): Error {
  const found = listedOf(catalog, 'web-backend')
  const blocked = found.find(({ id }) => id === wanted)
  if (blocked?.reason) {
    const { text, fix } = blocked.reason
    return fail('PLUGIN_BLOCKED', { plugin: blocked.plugin.id, reason: text, fix: fix ?? '' })
  }
  const known = found.map(({ id }) => id)
  const nearest = nearestName(wanted, known)
  return fail('WEB_BACKEND_UNKNOWN', nearest === undefined ? { backend: wanted } : { backend: wanted, nearest })
}
