import { AsyncParallelHook, AsyncSeriesBailHook, AsyncSeriesWaterfallHook } from 'tapable'
import { type Budget, TapRun } from './hook-budget.ts'
import { type HookFault, type HookName, hookClasses, type Refusal, type TapCall } from './hook-list.ts'

type Payload = Readonly<Record<string, unknown>>
type Answer = { readonly [key: string]: unknown } | undefined

/** A tap as the line keeps it. */
export interface Tap {
  readonly owner: string
  readonly filter: Readonly<Record<string, readonly string[] | undefined>> | undefined
  readonly stage: number
  readonly budgetMs: number
  readonly run: (payload: unknown, call: TapCall) => unknown
}

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

interface LiveTap extends Tap {
  live: boolean
  calls: number
  faults: number
  timeouts: number
  totalMs: number
  maxMs: number
}

/** How a tap ended: with an answer, or with a failure in words. */
type Settle = (failure: string | undefined, answer: Answer) => void

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

/** A tap that times out this often is not run again. */
const timeoutsAllowed = 2

/** The taps of one hook over the tapable class that fits; rebuilt when a tap comes or goes. */
export function createHookLine(name: HookName, { budget, report }: LineOptions): HookLine {
  const taps: LiveTap[] = []
  let promise: ((payload: Payload) => Promise<unknown>) | undefined

  function remove(tap: LiveTap): void {
    tap.live = false
    const at = taps.indexOf(tap)
    if (at >= 0) taps.splice(at, 1)
    promise = undefined
  }

  function fault(tap: LiveTap, kind: HookFault['kind'], detail: string): void {
    tap.faults += 1
    if (kind === 'timed-out') tap.timeouts += 1
    const removed = tap.timeouts >= timeoutsAllowed
    // A gate that hangs must not become an open door: it stays in its place, closed.
    if (removed && hookClasses[name] !== 'gate') remove(tap)
    report({ plugin: tap.owner, hook: name, kind, detail, removed })
  }

  /** Runs one tap behind its fence: `settle` is called once, whatever the tap does. */
  function fence(tap: LiveTap, payload: Payload, settle: Settle): void {
    if (!tap.live || !matches(tap.filter, payload)) return settle(undefined, undefined)
    if (tap.timeouts >= timeoutsAllowed) return settle(`it is out of order after ${tap.timeouts} time-outs`, undefined)
    const started = performance.now()
    let open = true
    const end = (failure: string | undefined, answer: Answer): void => {
      open = false
      const spent = performance.now() - started
      tap.calls += 1
      tap.totalMs += spent
      if (spent > tap.maxMs) tap.maxMs = spent
      settle(failure, answer)
    }
    const threw = (error: unknown): void => {
      const detail = error instanceof Error ? error.message : String(error)
      fault(tap, 'threw', detail)
      end(`it failed (${detail})`, undefined)
    }
    const run = new TapRun(budget.now() + tap.budgetMs, () => {
      if (!open) return
      const detail = `no answer within ${tap.budgetMs} ms`
      fault(tap, 'timed-out', detail)
      end(detail, undefined)
    })
    let answer: unknown
    try {
      answer = tap.run(payload, run)
    } catch (error) {
      return threw(error)
    }
    if (!isPromise(answer)) return end(undefined, answer as Answer)
    budget.watch(run)
    answer.then(
      (value) => {
        budget.release(run)
        if (open) end(undefined, value as Answer)
      },
      (error: unknown) => {
        budget.release(run)
        if (open) threw(error)
      },
    )
  }

  return {
    isEmpty: () => taps.length === 0,
    add(tap) {
      const live: LiveTap = { ...tap, live: true, calls: 0, faults: 0, timeouts: 0, totalMs: 0, maxMs: 0 }
      taps.push(live)
      promise = undefined
      return () => remove(live)
    },
    call(payload) {
      promise ??= build[hookClasses[name]](taps, fence)
      return promise(payload as Payload)
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

type Fence = (tap: LiveTap, payload: Payload, settle: Settle) => void
type Call = (payload: Payload) => Promise<unknown>

const build = {
  gate(taps: readonly LiveTap[], fence: Fence): Call {
    const hook = new AsyncSeriesBailHook<[Payload], Refusal>(['payload'])
    for (const tap of taps) {
      hook.tapAsync({ name: tap.owner, stage: tap.stage }, (payload, done) =>
        fence(tap, payload, (failure, answer) => {
          const reason = failure ?? answer?.refuse
          if (reason === undefined) return done()
          done(null, { plugin: tap.owner, reason: String(reason) })
        }),
      )
    }
    return (payload) => hook.promise(payload)
  },
  modify(taps: readonly LiveTap[], fence: Fence): Call {
    const hook = new AsyncSeriesWaterfallHook<[Payload]>(['payload'])
    for (const tap of taps) {
      hook.tapAsync({ name: tap.owner, stage: tap.stage }, (payload, done) =>
        fence(tap, payload, (_failure, patch) => done(null, patch === undefined ? payload : { ...payload, ...patch })),
      )
    }
    return (payload) => hook.promise(payload)
  },
  observe(taps: readonly LiveTap[], fence: Fence): Call {
    const hook = new AsyncParallelHook<[Payload]>(['payload'])
    for (const tap of taps) {
      hook.tapAsync({ name: tap.owner, stage: tap.stage }, (payload, done) => fence(tap, payload, () => done()))
    }
    return (payload) => hook.promise(payload)
  },
}

function matches(filter: Tap['filter'], payload: Payload): boolean {
  if (filter === undefined) return true
  for (const field in filter) {
    const allowed = filter[field]
    if (allowed !== undefined && !allowed.includes(String(payload[field]))) return false
  }
  return true
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
