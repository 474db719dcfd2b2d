import type { Call, Context, MemoryOwner, OpenMemory } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { passCall } from '#kernel/calls/call.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { Past } from '#store/past.ts'
import { createOpener, type Opener, type OpenerOptions } from '../opener.ts'
import { type FindMemoryProvider, findMemoryProvider, type MemoryMethod, offersMemory } from './find-memory-provider.ts'
import { folderOf } from './owner.ts'

export interface MemoryProvidersOptions extends OpenerOptions<'memory', Context> {
  readonly catalog: FindMemoryProvider['catalog']
  /** `memory.provider` as it is now; `none`: there is no memory. */
  readonly wanted: () => string
  /** `memories` of the home. */
  readonly folder: string
  readonly past: Pick<Past, 'find'>
}

/** What is done with a provider, and how long it may take. */
export interface ProviderAsk {
  readonly owner: string
  readonly call: Call
  readonly ms: number
}

type Run<Answer> = (provider: Required<OpenMemory>, owner: MemoryOwner, call: Call) => Promise<Answer>

export interface MemoryProviders extends Pick<Opener<'memory', OpenMemory>, 'retire' | 'close'> {
  /** The provider that does this now; throws where the choice is wrong. */
  find(method: MemoryMethod): Contribution<'memory'> | undefined
  /** Whether there is one; also where the choice is wrong, so that somebody is told. */
  offers(method: MemoryMethod): boolean
  ask<Answer>(method: MemoryMethod, ask: ProviderAsk, run: Run<Answer>): Promise<Answer>
}

const longestQuery = 2_000

export function createMemoryProviders(options: MemoryProvidersOptions): MemoryProviders {
  const { catalog, wanted, folder, past, clock } = options
  const { opened, retire, close } = createOpener<'memory', Context, OpenMemory>(options, requireMethods)

  const find = (method: MemoryMethod): Contribution<'memory'> | undefined =>
    wanted() === 'none' ? undefined : findMemoryProvider({ catalog, wanted: wanted() }, method)

  /** What a provider may know of an owner, and ask for: nothing of any other. */
  const handOf = ({ plugin }: Contribution<'memory'>, owner: string): MemoryOwner =>
    Object.freeze({
      ...{ key: owner, folder: folderOf(folder, owner) },
      search: async ({ query, most }: { readonly query: string; readonly most: number }) => {
        if (!plugin.manifest.permissions.host?.value.includes('sessions'))
          throw fail('PLUGIN_UNDECLARED', { plugin: plugin.manifest.id, access: 'search', field: '"sessions" in permissions.host' })
        return past.find({ owner, query: query.slice(0, longestQuery), most: Math.max(1, Math.min(Math.floor(most), 100)) })
      },
    })

  return {
    find,
    offers: (method) => wanted() !== 'none' && offersMemory({ catalog, wanted: wanted() }, method),
    async ask(method, { owner, call, ms }, run) {
      const provider = find(method)
      if (!provider) throw fail('MEMORY_OFF', { problem: `no memory provider can do ${method}; memory.provider names one` })
      const plugin = provider.plugin.manifest.id
      try {
        return await passCall(call, { clock, ms, what: `The memory of ${plugin}` }, async (own) =>
          run((await opened(provider)) as Required<OpenMemory>, handOf(provider, owner), own),
        )
      } catch (error) {
        if (isAgentError(error)) throw error
        throw fail('PLUGIN_FAILED', { plugin, during: `memory.${method}`, detail: detailOf(error) }, { cause: error })
      }
    },
    retire,
    close,
  }
}

/** Declared = provided, both ways. */
function requireMethods({ plugin, spec }: Contribution<'memory'>, memory: OpenMemory): void {
  const methods = ['snapshot', 'change', 'recall'] as const
  const wrong = methods.find((name) => (typeof memory?.[name] === 'function') !== spec.capabilities[name])
  if (wrong === undefined) return
  const problem = spec.capabilities[wrong] ? `does not provide ${wrong}` : `provides ${wrong}, which its manifest does not declare`
  throw fail('PLUGIN_SHAPE', { plugin: plugin.manifest.id, entry: spec.entry, problem })
}
