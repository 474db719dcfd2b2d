import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { type Catalog, type Contribution, listedOf } from '#kernel/catalog/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'

/** Kinds of which one contribution does the work for all. */
type Kind = 'web-backend' | 'image' | 'context' | 'memory'

export interface BackendWish<Of extends Kind> {
  readonly catalog: Pick<Catalog, 'plugins' | 'of'>
  readonly kind: Of
  /** What the settings say; empty where nobody has chosen. */
  readonly wanted: string
  /** The error for a choice that no plugin brings. */
  readonly unknown: 'WEB_BACKEND_UNKNOWN' | 'IMAGE_BACKEND_UNKNOWN' | 'CONTEXT_ENGINE_UNKNOWN' | 'MEMORY_PROVIDER_UNKNOWN'
  /** Whether one can do what is asked for; absent: each can. */
  readonly can?: (contribution: Contribution<Of>) => boolean
}

/**
 * The backend that does this: the chosen one, else the first that is ready and can: those whose key is set before those that need none, each by name.
 * Undefined where none can.
 * Throws what to do where the chosen one cannot be used.
 */
export function chooseBackend<Of extends Kind>(wish: BackendWish<Of>): Contribution<Of> | undefined {
  const { catalog, kind, wanted, can = () => true } = wish
  const ready = [...catalog.of(kind)].sort((a, b) => Number(hasKey(b)) - Number(hasKey(a)) || (a.id < b.id ? -1 : 1))
  const candidates = wanted === '' ? ready : ready.filter(({ id }) => id === wanted)
  if (wanted !== '' && candidates.length === 0) throw explainMissing(wish)
  return candidates.find(can)
}

/** One that is ready has every variable that it requires. */
export const hasKey = ({ plugin }: Contribution<Kind>): boolean => plugin.manifest.env.some(({ secret, required }) => secret && required)

/** Whether a tool that needs one is offered. It is too where the choice is wrong, so that somebody is told. */
export function offersBackend<Of extends Kind>(wish: BackendWish<Of>): boolean {
  try {
    return chooseBackend(wish) !== undefined
  } catch (error) {
    if (isAgentError(error)) return true
    throw error
  }
}

function explainMissing({ catalog, kind, wanted, unknown }: Omit<BackendWish<Kind>, 'can'>): Error {
  const found = listedOf(catalog, kind)
  const blocked = found.find(({ id }) => id === wanted)
  if (blocked?.reason) {
    const { text, fix } = blocked.reason
    return fail('PLUGIN_BLOCKED', { plugin: blocked.plugin.id, reason: text, fix: fix ?? '' })
  }
  const known = found.map(({ id }) => id)
  const nearest = nearestName(wanted, known)
  return fail(unknown, nearest === undefined ? { backend: wanted } : { backend: wanted, nearest })
}
