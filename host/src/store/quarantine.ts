import type { QuarantinePort } from '#kernel/isolation/faults.ts'
import type { Kv } from './kv.ts'

// No plugin has this id, so none of them can reach it.
const space = 'host/quarantine'

/** Where it is remembered which plugins are kept from running. */
export function quarantineIn(kv: Kv): QuarantinePort {
  return {
    get: (plugin) => kv.get(space, plugin),
    set: (plugin, value) => kv.set(space, plugin, value),
    delete: (plugin) => kv.delete(space, plugin),
  }
}
