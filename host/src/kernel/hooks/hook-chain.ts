import { type HookName, hookKinds } from '@agent/plugin-sdk'
import type { Budget } from './hook-budget.ts'
import { callTaps } from './hook-calls.ts'
import type { HookFault } from './hook-list.ts'
import type { HookPayload, LiveTap, Runner, Tap } from './tap-run.ts'

/** What a tap has cost so far. */
export interface TapMetrics {
  readonly hook: HookName
  readonly plugin: string
  readonly calls: number
  readonly faults: number
  readonly timeouts: number
  readonly totalMs: number
  readonly maxMs: number
}

export interface HookChain {
  isEmpty(): boolean
  add(tap: Tap): () => void
  call(payload: unknown): Promise<unknown>
  metrics(): readonly TapMetrics[]
}

/** A tap that times out this often is not run again. */
const timeoutsAllowed = 2

interface ChainOptions {
  readonly budget: Budget
  readonly report: (fault: HookFault) => void
}

/** The taps of one hook in their order. A call keeps the list that it began with. */
export function createHookChain(name: HookName, { budget, report }: ChainOptions): HookChain {
  let taps: readonly LiveTap[] = []
  const callAll = callTaps[hookKinds[name]]

  const remove = (tap: LiveTap): void => {
    tap.live = false
    taps = taps.filter((one) => one !== tap)
  }
  const runner: Runner = {
    budget,
    onFault(tap, kind, detail) {
      const removed = tap.timeouts >= timeoutsAllowed
      // A gate that hangs must not become an open door: it stays in its place, closed.
      if (removed && hookKinds[name] === 'gate') tap.run = () => ({ refuse: `it is out of order after ${tap.timeouts} time-outs` })
      else if (removed) remove(tap)
      report({ plugin: tap.owner, hook: name, kind, detail, removed })
    },
  }
  return {
    isEmpty: () => taps.length === 0,
    add(tap) {
      const live: LiveTap = { ...tap, live: true, calls: 0, faults: 0, timeouts: 0, totalMs: 0, maxMs: 0 }
      taps = [...taps, live].sort((a, b) => a.stage - b.stage)
      return () => remove(live)
    },
    call: (payload) => callAll(taps, payload as HookPayload, runner),
    metrics: () =>
      taps.map(({ owner, calls, faults, timeouts, totalMs, maxMs }) => ({
        hook: name,
        plugin: owner,
        calls,
        faults,
        timeouts,
        totalMs,
        maxMs,
      })),
  }
}
