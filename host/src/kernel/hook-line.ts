import { AsyncSeriesBailHook, AsyncSeriesWaterfallHook, SyncHook } from 'tapable'
import type { Budget } from './hook-budget.ts'
import { createFence, type Fence, type Payload, timeoutsAllowed } from './hook-fence.ts'
import { type HookFault, type HookName, hookClasses, type Refusal } from './hook-list.ts'
import type { LiveTap, Tap } from './tap-run.ts'

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
  const fence = createFence(budget, (tap, kind, detail) => {
    const removed = tap.timeouts >= timeoutsAllowed
    // A gate that hangs must not become an open door: it stays in its place, closed.
    if (removed && hookClasses[name] !== 'gate') remove(tap)
    report({ plugin: tap.owner, hook: name, kind, detail, removed })
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
      call ??= build[hookClasses[name]](taps, fence)
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

// callAsync, not promise: the promise that tapable makes costs more than the ten taps.
const build = {
  gate(taps: readonly LiveTap[], fence: Fence): Call {
    const hook = new AsyncSeriesBailHook<[Payload], Refusal>(['payload'])
    for (const tap of taps) {
      hook.tapAsync({ name: tap.owner, stage: tap.stage }, (payload, done) =>
        fence(tap, payload, (failure, answer) => {
          const reason = failure ?? answer?.refuse
          if (reason === undefined) done()
          else done(null, { plugin: tap.owner, reason: String(reason) })
        }),
      )
    }
    return (payload) => new Promise((resolve) => hook.callAsync(payload, (_error, refusal) => resolve(refusal)))
  },
  modify(taps: readonly LiveTap[], fence: Fence): Call {
    const hook = new AsyncSeriesWaterfallHook<[Payload]>(['payload'])
    for (const tap of taps) {
      hook.tapAsync({ name: tap.owner, stage: tap.stage }, (payload, done) =>
        fence(tap, payload, (_failure, patch) => done(null, patch === undefined ? payload : { ...payload, ...patch })),
      )
    }
    return (payload) => new Promise((resolve) => hook.callAsync(payload, (_error, changed) => resolve(changed)))
  },
  // All start at once: whoever takes its time holds up nobody.
  observe(taps: readonly LiveTap[], fence: Fence): Call {
    const hook = new SyncHook<[Payload, () => void]>(['payload', 'done'])
    for (const tap of taps) hook.tap({ name: tap.owner, stage: tap.stage }, (payload, done) => fence(tap, payload, done))
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
