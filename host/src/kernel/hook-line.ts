import { type HookName, hookKinds } from '@agent/plugin-sdk'
import { AsyncSeriesBailHook, AsyncSeriesWaterfallHook, SyncHook } from 'tapable'
import { type Budget, Watch } from './hook-budget.ts'
import { createFence, type Fence, timeoutsAllowed } from './hook-fence.ts'
import type { HookClass, HookFault, Refusal } from './hook-list.ts'
import type { LiveTap, Payload, Settle, Tap } from './tap-run.ts'

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

export interface HookLine {
  isEmpty(): boolean
  add(tap: Tap): () => void
  call(payload: unknown): Promise<unknown>
  metrics(): readonly TapMetrics[]
}

interface LineOptions {
  readonly budget: Budget
  readonly report: (fault: HookFault) => void
}

/** The taps of one hook over the tapable class that fits; rebuilt when a tap comes or goes. */
export function createHookLine(name: HookName, { budget, report }: LineOptions): HookLine {
  const taps: LiveTap[] = []
  let call: Call | undefined

  const remove = (tap: LiveTap): void => {
    tap.live = false
    const at = taps.indexOf(tap)
    if (at >= 0) taps.splice(at, 1)
    call = undefined
  }
  const fence = createFence({
    budget,
    settle: settle[hookKinds[name]],
    onFault: (tap, kind, detail) => {
      const removed = tap.timeouts >= timeoutsAllowed
      // A gate that hangs must not become an open door: it stays in its place, closed.
      if (removed && hookKinds[name] !== 'gate') remove(tap)
      report({ plugin: tap.owner, hook: name, kind, detail, removed })
    },
    ended: 0,
  })
  return {
    isEmpty: () => taps.length === 0,
    add(tap) {
      const live: LiveTap = { ...tap, live: true, calls: 0, faults: 0, timeouts: 0, totalMs: 0, maxMs: 0 }
      taps.push(live)
      call = undefined
      return () => remove(live)
    },
    call(payload) {
      call ??= build[hookKinds[name]](taps, fence, budget)
      return call(payload as Payload)
    },
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

type Call = (payload: Payload) => Promise<unknown>
type Done<Result> = (error?: null, result?: Result) => void

/** What the end of a tap means to its hook. */
const settle: Readonly<Record<HookClass, Settle>> = {
  gate({ tap, done }, failure, answer) {
    const reason = failure ?? readRefusal(answer)
    const end = done as Done<Refusal>
    if (reason === undefined) end()
    else end(null, { plugin: tap.owner, reason: String(reason) })
  },
  modify({ payload, done }, _failure, patch) {
    const end = done as Done<Payload>
    end(null, patch === undefined ? payload : { ...payload, ...patch })
  },
  observe({ done }) {
    const end = done as () => void
    end()
  },
}

/** Why a gate refuses; undefined lets through. An answer that means nothing is no consent. */
function readRefusal(answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined
  const refuse = typeof answer === 'object' ? (answer as { readonly refuse?: unknown }).refuse : undefined
  return typeof refuse === 'string' ? refuse : 'its answer is neither a refusal nor nothing'
}

type Build = (taps: readonly LiveTap[], fence: Fence, budget: Budget) => Call

// callAsync, not promise: the promise that tapable makes costs more than the ten taps.
const build: Readonly<Record<HookClass, Build>> = {
  gate: (taps, fence, budget) => callSeries(new AsyncSeriesBailHook<[Payload, Watch], Refusal>(['payload', 'watch']), taps, fence, budget),
  modify: (taps, fence, budget) => callSeries(new AsyncSeriesWaterfallHook<[Payload, Watch]>(['payload', 'watch']), taps, fence, budget),
  // All start at once: whoever takes its time holds up nobody.
  observe(taps, fence, budget) {
    const hook = new SyncHook<[Payload, () => void]>(['payload', 'done'])
    for (const tap of taps) {
      hook.tap({ name: tap.owner, stage: tap.stage }, (payload, done) => {
        const watch = new Watch()
        const end = (): void => {
          budget.release(watch)
          done()
        }
        fence(tap, payload, end, watch)
      })
    }
    const total = taps.length
    return (payload) =>
      new Promise((resolve) => {
        let ended = 0
        hook.call(payload, () => {
          ended += 1
          if (ended === total) resolve(undefined)
        })
      })
  },
}

interface SeriesHook {
  tapAsync(options: { name: string; stage: number }, run: (payload: Payload, watch: Watch, done: unknown) => void): void
  callAsync(payload: Payload, watch: Watch, done: (error: unknown, result: unknown) => void): void
}

function callSeries(hook: SeriesHook, taps: readonly LiveTap[], fence: Fence, budget: Budget): Call {
  for (const tap of taps) hook.tapAsync({ name: tap.owner, stage: tap.stage }, (payload, watch, done) => fence(tap, payload, done, watch))
  return (payload) =>
    new Promise((resolve) => {
      const watch = new Watch()
      hook.callAsync(payload, watch, (_error, result) => {
        budget.release(watch)
        resolve(result)
      })
    })
}
