import type { Clock, Log } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/calls/call.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { DeclaredTool } from './list-tools.ts'
import { type DynamicList, type DynamicTools, readDynamic } from './read-dynamic.ts'

type Toolset = Contribution<'toolset'>

export interface DynamicOptions {
  readonly contributions: readonly Toolset[]
  /** Opens the toolset, where it is not. */
  readonly open: (contribution: Toolset) => Promise<DynamicTools>
  readonly clock: Clock
  readonly log: Log
}

/** What became of one source of tools. */
export type ToolSource = DynamicList['sources'][number]

export interface DynamicCatalog {
  /** Toolsets that may have such tools: those with an entry in the block that they name. Nothing is opened to tell. */
  readonly toolsets: readonly Toolset[]
  /** The tools of those toolsets of which the turn may use one; the same map for as long as nothing changes. */
  all(reachable: ReadonlySet<string>, signal: AbortSignal): Promise<DynamicAnswer>
  /** The same as far as it is known without asking anybody. */
  known(reachable: ReadonlySet<string>): DynamicAnswer
  /** A tool by its name, wherever it is; undefined where no toolset has it. */
  find(name: string, reachable: ReadonlySet<string>, signal: AbortSignal): Promise<DeclaredTool | undefined>
  /** Asks every source again, or one of them. */
  refresh(only: string | undefined, signal: AbortSignal): Promise<readonly ToolSource[]>
}

export interface DynamicAnswer {
  readonly tools: ReadonlyMap<string, DeclaredTool>
  /** Sources that have no tools yet or none any more, a sentence each. */
  readonly notes: readonly string[]
}

interface Known {
  readonly revision: string
  readonly tools: ReadonlyMap<string, DeclaredTool>
  readonly refused: readonly string[]
}

/** Stands in a set of reachable names for all names of a toolset that are known only when it runs. */
export const anyOf = (prefix: string): string => `${prefix}*`
export const isAnyOf = (name: string): boolean => name.endsWith('*')

const none: ReadonlyMap<string, DeclaredTool> = new Map()
/** Nobody waits longer for a search; a person who asks for a fresh look does. */
const searchMs = 20_000
const refreshMs = 90_000

export function createDynamicTools(options: DynamicOptions): DynamicCatalog {
  const toolsets = withEntries(options.contributions)
  const known = new Map<Toolset, Known>()
  // A memo, so that an index of the tools is made once.
  let joined: { readonly of: readonly Known[]; readonly tools: ReadonlyMap<string, DeclaredTool> } = { of: [], tools: none }

  async function ask(contribution: Toolset, wish: Parameters<DynamicTools['list']>[0], signal: AbortSignal): Promise<DynamicList> {
    const deadline = wish.fresh ? refreshMs : searchMs
    const what = `The tools of ${contribution.id}`
    return callWithin({ clock: options.clock, signal, deadline, what }, async (call) => (await options.open(contribution)).list(wish, call))
  }

  function take(contribution: Toolset, list: DynamicList): Known {
    const before = known.get(contribution)
    if (before?.revision === list.revision) return before
    const { tools, refused } = readDynamic(list, prefixOf(contribution))
    for (const problem of refused) options.log.warn('a tool is not taken', { toolset: contribution.id, problem })
    const now = { revision: list.revision, refused, tools: new Map(tools.map((tool) => [tool.name, { contribution, tool }])) }
    known.set(contribution, now)
    return now
  }

  async function look(contribution: Toolset, signal: AbortSignal): Promise<{ readonly known?: Known; readonly notes: readonly string[] }> {
    try {
      const list = await ask(contribution, {}, signal)
      return { known: take(contribution, list), notes: list.sources.flatMap(({ state, text }) => (state === 'ready' ? [] : [text])) }
    } catch (error) {
      signal.throwIfAborted()
      options.log.warn('the tools of a toolset are not known', { toolset: contribution.id, problem: detailOf(error) })
      const old = known.get(contribution)
      return { ...(old ? { known: old } : {}), notes: [`The tools of ${contribution.id} are not known now: ${detailOf(error)}`] }
    }
  }

  function join(parts: readonly Known[]): ReadonlyMap<string, DeclaredTool> {
    if (parts.length !== joined.of.length || parts.some((part, index) => part !== joined.of[index]))
      joined = { of: parts, tools: new Map(parts.flatMap(({ tools }) => [...tools])) }
    return joined.tools
  }

  const wantedBy = (reachable: ReadonlySet<string>): readonly Toolset[] => toolsets.filter((each) => reachable.has(anyOf(prefixOf(each))))

  return {
    toolsets,
    known: (reachable) => ({ tools: join(wantedBy(reachable).flatMap((each) => known.get(each) ?? [])), notes: [] }),
    async all(reachable, signal) {
      const wanted = wantedBy(reachable)
      if (wanted.length === 0) return { tools: none, notes: [] }
      const found = await Promise.all(wanted.map((each) => look(each, signal)))
      return { tools: join(found.flatMap((each) => each.known ?? [])), notes: found.flatMap(({ notes }) => notes) }
    },
    async find(name, reachable, signal) {
      const owner = toolsets.find((each) => name.startsWith(prefixOf(each)))
      if (!owner || !reachable.has(anyOf(prefixOf(owner)))) return undefined
      return known.get(owner)?.tools.get(name) ?? (await look(owner, signal)).known?.tools.get(name)
    },
    async refresh(only, signal) {
      const wish = { fresh: true, ...(only === undefined ? {} : { only }) }
      const lists = await Promise.all(
        toolsets.map(async (each) => {
          const list = await ask(each, wish, signal)
          const { refused } = take(each, list)
          return [...list.sources, ...refused.map((text): ToolSource => ({ name: each.id, state: 'failed', text }))]
        }),
      )
      return lists.flat()
    },
  }
}

export const prefixOf = ({ spec }: Toolset): string => spec.dynamicTools?.prefix ?? '*'

/** Those that may have tools that are known only when they run. Of several with one prefix the first gets it. */
export function withEntries(contributions: readonly Toolset[]): readonly Toolset[] {
  const byPrefix = new Map<string, Toolset>()
  for (const each of contributions) {
    const { dynamicTools } = each.spec
    if (dynamicTools && hasEntries(each, dynamicTools.block) && !byPrefix.has(dynamicTools.prefix)) byPrefix.set(dynamicTools.prefix, each)
  }
  return [...byPrefix.values()]
}

function hasEntries({ settings }: Toolset, block: string | undefined): boolean {
  if (block === undefined) return true
  const entries = (settings.block as Readonly<Record<string, unknown>> | undefined)?.[block]
  return typeof entries === 'object' && entries !== null && Object.keys(entries).length > 0
}
