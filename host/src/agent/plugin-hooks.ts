import type { Call, Context, HookName, OpenHooks } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import type { TapCall } from '#kernel/hooks/hook-list.ts'
import type { HookDispatcher } from '#kernel/hooks/hooks.ts'
import { createOpener, type Opener, type OpenerOptions } from '#tools/opener.ts'

export interface PluginHooksOptions extends OpenerOptions<'hooks', Context> {
  readonly catalog: Pick<Catalog, 'of'>
  readonly hooks: Pick<HookDispatcher, 'tap'>
  readonly newCallId: () => string
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

const longestAnswerMs = 10_000

/** Hooks of plugins: tapped from their manifests, loaded when the first event of theirs comes. */
export function createPluginHooks(options: PluginHooksOptions): PluginHooks {
  const tapped = new Map<Contribution, Tapped>()
  const opener = createOpener<'hooks', Context, OpenHooks>(options, () => undefined)
  const leave = async (contribution: Contribution, { untap, end }: Tapped): Promise<void> => {
    tapped.delete(contribution)
    untap()
    await end()
  }
  return {
    renew() {
      const now = new Set(options.catalog.of('hooks'))
      for (const [contribution, each] of tapped) if (!now.has(contribution as Contribution<'hooks'>)) void leave(contribution, each)
      for (const contribution of now) if (!tapped.has(contribution)) tapped.set(contribution, tapAll(options, opener, contribution))
    },
    async close() {
      await Promise.all([...tapped].map(([contribution, each]) => leave(contribution, each)))
    },
  }
}

function tapAll(options: PluginHooksOptions, opener: Opener<'hooks', OpenHooks>, contribution: Contribution<'hooks'>): Tapped {
  const owner = contribution.plugin.manifest.id
  const running = new Map<Promise<unknown>, TapCall>()
  const ask = async (name: HookName, payload: unknown, call: Call): Promise<unknown> => {
    const { hooks } = await opener.opened(contribution)
    const hook = hooks?.[name] as ((payload: unknown, call: Call) => Promise<unknown>) | undefined
    if (hook) return (await hook(payload, call)) ?? undefined
    throw fail('PLUGIN_SHAPE', { plugin: owner, entry: contribution.spec.entry, problem: `has no hook ${name}` })
  }
  const taps = contribution.spec.hooks.map(({ name, filter, budgetMs, stage }) => {
    const run = (payload: unknown, tap: TapCall): Promise<never> => {
      // Making a signal takes longer than most taps do, so it is made for those that look at it.
      const call = {
        id: options.newCallId(),
        deadline: budgetMs ?? longestAnswerMs,
        get signal() {
          return tap.signal
        },
      }
      const answer = ask(name, payload, call)
      const end = (): void => void running.delete(answer)
      running.set(answer, tap)
      answer.then(end, end)
      return answer as Promise<never>
    }
    return options.hooks.tap(name, { owner, filter, stage, ...(budgetMs === undefined ? {} : { budgetMs }) }, run)
  })
  return {
    untap: () => {
      for (const untap of taps) untap()
    },
    end: async () => {
      // What was asked before is answered by the one that was asked, or never.
      await Promise.all([...running].map(([answer, { signal }]) => untilOver(answer, signal)))
      await opener.retire(contribution)
    },
  }
}

/** Nobody waits for an answer whose time is over. */
function untilOver(answer: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end)
      resolve()
    }
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', end, { once: true })
    answer.then(end, end)
  })
}
