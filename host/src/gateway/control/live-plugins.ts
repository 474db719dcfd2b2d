import type { Activator } from '#kernel/activation/activate.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { ExtensionHosts } from '#kernel/extension-host/extension-hosts.ts'
import { because } from '#kernel/reasons.ts'

/** A plugin as it is in a running gateway. */
export interface LivePlugin {
  readonly id: string
  readonly version: string
  /** `ready` until it is first used. */
  readonly state: string
  readonly reason: string | null
  readonly detail: string | null
  /** When a failed one is tried again: milliseconds since 1970. */
  readonly retryAt: number | null
  readonly isolation: string | null
  /** Of the child that it runs in, which it may share. */
  readonly child: { readonly pid: number | null; readonly memoryBytes: number; readonly memoryLimitBytes: number } | null
  /** Faults of the last ten minutes. */
  readonly faults: number
  readonly lastFault: string | null
}

export interface LivePluginsOptions {
  readonly catalog: Pick<Catalog, 'plugins'>
  readonly activator: Pick<Activator, 'state'>
  readonly hosts?: Pick<ExtensionHosts, 'status'> | undefined
}

/** What may run, and how it runs. */
export function listLivePlugins({ catalog, activator, hosts }: LivePluginsOptions): readonly LivePlugin[] {
  const isolated = new Map((hosts?.status() ?? []).map((one) => [one.plugin, one]))
  return catalog.plugins
    .filter(({ state }) => state === 'ready')
    .map(({ id, version, isolation }) => {
      const { state, reason: failure, retryAt } = activator.state(id)
      const { child, faults = 0, lastFault } = isolated.get(id) ?? {}
      const reason = child?.silent ? because('unresponsive', { plugin: id }) : failure
      return {
        ...{ id, version, state, reason: reason?.code ?? null, detail: reason?.text ?? null, retryAt: retryAt ?? null },
        isolation: isolation ?? null,
        child: child ? { pid: child.pid ?? null, memoryBytes: child.memory, memoryLimitBytes: child.memoryLimit } : null,
        faults,
        lastFault: lastFault ?? null,
      }
    })
}
