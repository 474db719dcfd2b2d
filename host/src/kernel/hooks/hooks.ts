import { type Clock, type HookName, hookKinds, type Log } from '@agent/plugin-sdk'
import { openBudget } from './hook-budget.ts'
import { createHookChain, type HookChain, type TapMetrics } from './hook-chain.ts'
import type { HookClass, HookFault, HookFilter, HookPayloads, HookResult, TapFunction } from './hook-list.ts'
import type { Tap } from './tap-run.ts'

export interface TapOptions<Name extends HookName> {
  /** The plugin that answers for it. */
  readonly owner: string
  readonly filter?: HookFilter<Name>
  /** Shorter than the class's own limit; a longer one is cut. */
  readonly budgetMs?: number
  /** Lower runs earlier; 0 unless told. */
  readonly stage?: number
}

export interface HooksOptions {
  readonly clock: Clock
  readonly log: Log
  /** Told about every failure of a tap. */
  readonly onFault?: (fault: HookFault) => void
}

export interface HookDispatcher {
  has(name: HookName): boolean
  tap<Name extends HookName>(name: Name, options: TapOptions<Name>, run: TapFunction<Name>): () => void
  /** Never rejects. */
  call<Name extends HookName>(name: Name, payload: HookPayloads[Name]): Promise<HookResult<Name>>
  metrics(): readonly TapMetrics[]
  close(): void
}

const budgets = { gate: 5_000, modify: 2_000, observe: 30_000 } as const satisfies Record<HookClass, number>

/** The hooks of one host: taps in order, each with its fence, budget and figures. */
export function createHooks(options: HooksOptions): HookDispatcher {
  const budget = openBudget(options.clock)
  const chains = new Map<HookName, HookChain>()
  const report = (fault: HookFault): void => {
    options.log.warn(`${fault.plugin} ${fault.kind === 'threw' ? 'failed' : 'timed out'} at ${fault.hook}`, {
      plugin: fault.plugin,
      hook: fault.hook,
      detail: fault.detail,
      removed: fault.removed,
    })
    options.onFault?.(fault)
  }
  return {
    has: (name) => chains.get(name)?.isEmpty() === false,
    tap(name, { owner, filter, budgetMs, stage = 0 }, run) {
      const limit = budgets[hookKinds[name]]
      const chain = chains.get(name) ?? createHookChain(name, { budget, report })
      chains.set(name, chain)
      return chain.add({ owner, filter, stage, budgetMs: Math.min(budgetMs ?? limit, limit), run: run as Tap['run'] })
    },
    call(name, payload) {
      const chain = chains.get(name)
      const result = chain === undefined || chain.isEmpty() ? emptyResult(name, payload) : chain.call(payload)
      return result as Promise<HookResult<typeof name>>
    },
    metrics: () => [...chains.values()].flatMap((chain) => chain.metrics()),
    close: () => budget.close(),
  }
}

async function emptyResult(name: HookName, payload: unknown): Promise<unknown> {
  return hookKinds[name] === 'modify' ? payload : undefined
}
