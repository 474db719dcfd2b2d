import type { Context } from '../../contract/context.ts'
import { requireReach } from '../../contract/may-reach.ts'
import type { Manifest } from '../../kinds/manifest.ts'

/** Who asks, and what it has declared. */
export type Asker = Pick<Manifest, 'id' | 'permissions'>

/** Where the servers of the worlds are. */
const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** `fetch` as the host gives it to a plugin: what `permissions.net` does not allow is refused, but for this machine. */
export function createTestFetch(asker?: Asker): Context['fetch'] {
  return async (url, init) => {
    const isOwn = loopback.has(new URL(url).hostname)
    if (asker && !isOwn) requireReach(asker.id, asker.permissions.net?.value ?? 'none', url)
    return await fetch(url, init)
  }
}
