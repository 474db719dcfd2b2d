import { sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Context } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { findShapeProblem } from '../calls/entry-shape.ts'
import { limitFetch } from '../egress/limit-fetch.ts'
import { type BorderLink, type BorderScope, openRemote, openScope, type Remote } from './border.ts'
import type { ChildDoor, LoadSpec, ParentDoor } from './child-contract.ts'

export interface ServePluginsOptions {
  readonly link: BorderLink
  readonly clock: Context['clock']
  readonly fetch: Context['fetch']
  readonly importModule: (url: string) => Promise<{ readonly default?: unknown }>
  /** Bytes that this process takes. */
  readonly memory: () => number
  readonly resources: () => readonly string[]
  /** Hears where in a plugin an error without a code comes from: the other side gets to know its words only. */
  readonly onFault?: (error: Error) => void
}

/** The side of the border where plugins run: several entries, each context with its own end. */
export interface PluginServer {
  readonly closed: Promise<void>
  /** Whose file stands in a stack, so that the host charges nobody else. */
  blame(stack: string, detail: string): void
  /** An error that nobody caught. False when the child had better end: it serves one plugin only, or it goes on like that. */
  survive(stack: string, detail: string): boolean
}

/** So many errors whose origin nobody knows are survived. */
const unknownAtMost = 3

export function servePlugins(options: ServePluginsOptions): PluginServer {
  const { link, clock, fetch, importModule } = options
  const specs = new Map<string, LoadSpec>()
  const scopes = new Map<string, BorderScope>()
  const door: ChildDoor = {
    load: async (spec) => {
      const url = pathToFileURL(spec.file)
      if (spec.attempt > 0) url.searchParams.set('attempt', String(spec.attempt))
      specs.set(spec.name, spec)
      const { default: entry } = await importModule(url.href)
      const problem = findShapeProblem(spec.kind, entry)
      if (problem !== undefined) throw fail('PLUGIN_SHAPE', { plugin: spec.plugin, entry: spec.entry, problem })
      remote.offer(spec.name, spec.kind, entry as object)
    },
    unload: async (name) => {
      specs.delete(name)
      remote.withdraw(name)
    },
    end: async (context) => {
      const scope = scopes.get(context)
      scopes.delete(context)
      const problems = (await scope?.end()) ?? []
      remote.withdrawFor(context)
      return problems
    },
    ping: async () => options.memory(),
    // The call that asks is one of them.
    busy: async () => remote.busy() - 1,
    resources: async () => options.resources(),
  }
  const remote: Remote = openRemote({
    link,
    ...(options.onFault ? { onFault: options.onFault } : {}),
    offers: { child: { as: 'child', object: door } },
    complete: (name, proxy, handle) => {
      if (name !== 'pluginContext') return proxy
      const { plugin } = (proxy as Context).about
      const scope = openScope(plugin)
      scopes.set(handle, scope)
      const net = [...specs.values()].find((spec) => spec.plugin === plugin)?.net ?? 'none'
      return Object.assign(proxy, {
        clock,
        signal: scope.signal,
        effect: scope.effect,
        fetch: limitFetch({ plugin, net, fetch, signal: scope.signal, clock, onRequest: (told) => parent.request(plugin, told) }),
      })
    },
  })
  const parent = remote.proxy('parent', 'parent') as ParentDoor
  const all = (): readonly LoadSpec[] => [...specs.values()]
  const findGuilty = (stack: string): string | undefined =>
    all().find(({ root }) => stack.includes(`${root}${sep}`) || stack.includes(`${pathToFileURL(root).href}/`))?.plugin
  let unknown = 0
  return {
    closed: remote.closed,
    blame: (stack, detail) => {
      parent.blame(findGuilty(stack) ?? null, detail)
      // The process ends in this turn of the event loop.
      link.flush?.()
    },
    survive: (stack, detail) => {
      const guilty = findGuilty(stack)
      if (guilty === undefined) unknown += 1
      if (unknown > unknownAtMost || new Set(all().map(({ plugin }) => plugin)).size < 2) return false
      if (guilty !== undefined) parent.fault(guilty, detail)
      return true
    },
  }
}
