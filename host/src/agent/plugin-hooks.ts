import type { Call, Context, HookName, Log, OpenHooks, Hooks as PluginEntry } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Activator } from '#kernel/activate.ts'
import type { Catalog, Contribution } from '#kernel/catalog.ts'
import type { Hooks } from '#kernel/hooks.ts'
import { type Ledger, openLedger } from '#kernel/ledger.ts'

export interface PluginHooksOptions {
  readonly catalog: Pick<Catalog, 'contributions'>
  readonly hooks: Pick<Hooks, 'tap'>
  readonly activator: Pick<Activator, 'entry'>
  readonly createContext: (contribution: Contribution, ledger: Ledger) => Promise<Context>
  readonly newCallId: () => string
  readonly log: Log
}

export interface PluginHooks {
  /** Taps what the catalog has now, and leaves what it has no more. No code is loaded for it. */
  renew(): void
  close(): Promise<void>
}

interface Tapped {
  untap(): void
  end(): Promise<void>
}

const longestOpenMs = 10_000

/** Hooks of plugins: tapped from their manifests, loaded when the first event of theirs comes. */
export function createPluginHooks(options: PluginHooksOptions): PluginHooks {
  const tapped = new Map<Contribution, Tapped>()
  const leave = async (contribution: Contribution, { untap, end }: Tapped): Promise<void> => {
    tapped.delete(contribution)
    untap()
    await end()
  }
  return {
    renew() {
      const now = new Set(options.catalog.contributions().filter(isHooks))
      for (const [contribution, each] of tapped) if (!now.has(contribution as Contribution<'hooks'>)) void leave(contribution, each)
      for (const contribution of now) if (!tapped.has(contribution)) tapped.set(contribution, tapAll(options, contribution))
    },
    async close() {
      await Promise.all([...tapped].map(([contribution, each]) => leave(contribution, each)))
    },
  }
}

function isHooks(contribution: Contribution): contribution is Contribution<'hooks'> {
  return contribution.kind === 'hooks'
}

function tapAll(options: PluginHooksOptions, contribution: Contribution<'hooks'>): Tapped {
  const owner = contribution.plugin.manifest.id
  const opener = createOpener(options, contribution)
  const taps = contribution.spec.hooks.map(({ name, filter, budgetMs, stage }) => {
    const run = (payload: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
      opener.run(name, payload, { id: options.newCallId(), signal, deadline: budgetMs ?? longestOpenMs }) as Promise<never>
    return options.hooks.tap(name, { owner, filter, stage, ...(budgetMs === undefined ? {} : { budgetMs }) }, run)
  })
  return {
    untap: () => {
      for (const untap of taps) untap()
    },
    end: opener.end,
  }
}

interface Opener {
  run(name: HookName, payload: unknown, call: Call): Promise<unknown>
  end(): Promise<void>
}

/** Opens the entry once; after its child was lost, once more. */
function createOpener({ activator, createContext, log }: PluginHooksOptions, contribution: Contribution<'hooks'>): Opener {
  const plugin = contribution.plugin.manifest.id
  let opened: Promise<OpenHooks> | undefined
  let ledger = openLedger(plugin, log)
  const running = new Set<Promise<unknown>>()
  const open = async (): Promise<OpenHooks> => {
    const entry = await activator.entry<PluginEntry>(contribution)
    const signal = AbortSignal.any([ledger.signal, AbortSignal.timeout(longestOpenMs)])
    return await entry.open(await createContext(contribution, ledger), { id: `open-${contribution.id}`, signal, deadline: longestOpenMs })
  }
  const forget = async (): Promise<void> => {
    opened = undefined
    const old = ledger
    ledger = openLedger(plugin, log)
    await old.dispose()
  }
  const ask: Opener['run'] = async (name, payload, call) => {
    opened ??= open()
    try {
      const hook = (await opened).hooks?.[name] as ((payload: unknown, call: Call) => Promise<unknown>) | undefined
      if (hook) return (await hook(payload, call)) ?? undefined
    } catch (error) {
      if (isAgentError(error, 'PLUGIN_FAILED')) await forget()
      throw error
    }
    throw fail('PLUGIN_SHAPE', { plugin, entry: contribution.spec.entry, problem: `has no hook ${name}` })
  }
  return {
    run: async (...asked) => {
      const answer = ask(...asked)
      running.add(answer)
      return await answer.finally(() => running.delete(answer))
    },
    end: async () => {
      // What was asked before is answered by the one that was asked.
      await Promise.allSettled(running)
      await ledger.dispose()
    },
  }
}
