import { type Budget, TapRun } from './hook-budget.ts'
import type { HookFault, TapCall } from './hook-list.ts'

export type Payload = Readonly<Record<string, unknown>>
export type Answer = Readonly<Record<string, unknown>> | undefined

/** A tap as it was handed in. */
export interface Tap {
  readonly owner: string
  readonly filter: Readonly<Record<string, readonly string[] | undefined>> | undefined
  readonly stage: number
  readonly budgetMs: number
  readonly run: (payload: unknown, call: TapCall) => unknown
}

/** A tap and what it has cost so far. */
export interface LiveTap extends Tap {
  live: boolean
  calls: number
  faults: number
  timeouts: number
  totalMs: number
  maxMs: number
}

/** How a tap ended: with a failure in words, or with an answer. */
type Settle = (failure: string | undefined, answer: Answer) => void

/** Runs one tap; `settle` is called exactly once, whatever the tap does. */
export type Fence = (tap: LiveTap, payload: Payload, settle: Settle) => void

export interface FenceOptions {
  readonly budget: Budget
  readonly onFault: (tap: LiveTap, kind: HookFault['kind'], detail: string) => void
}

/** A tap that times out this often is not run again. */
export const timeoutsAllowed = 2

export function createFence({ budget, onFault }: FenceOptions): Fence {
  return (tap, payload, settle) => {
    if (!tap.live || !matches(tap.filter, payload)) {
      settle(undefined, undefined)
      return
    }
    if (tap.timeouts >= timeoutsAllowed) {
      settle(`it is out of order after ${tap.timeouts} time-outs`, undefined)
      return
    }
    const attempt = openAttempt(tap, settle, onFault)
    const run = new TapRun(budget.now() + tap.budgetMs, () => attempt.expire())
    let answer: unknown
    try {
      answer = tap.run(payload, run)
    } catch (error) {
      attempt.reject(error)
      return
    }
    if (!isPromise(answer)) {
      attempt.resolve(answer)
      return
    }
    budget.watch(run)
    answer.then(
      (value) => {
        budget.release(run)
        attempt.resolve(value)
      },
      (error: unknown) => {
        budget.release(run)
        attempt.reject(error)
      },
    )
  }
}

interface Attempt {
  resolve(answer: unknown): void
  reject(error: unknown): void
  expire(): void
}

/** The first of the three ends counts. */
function openAttempt(tap: LiveTap, settle: Settle, onFault: FenceOptions['onFault']): Attempt {
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
  const endBadly = (kind: HookFault['kind'], detail: string, failure: string): void => {
    tap.faults += 1
    if (kind === 'timed-out') tap.timeouts += 1
    onFault(tap, kind, detail)
    end(failure, undefined)
  }
  return {
    resolve(answer) {
      if (open) end(undefined, answer as Answer)
    },
    reject(error) {
      if (!open) return
      const detail = error instanceof Error ? error.message : String(error)
      endBadly('threw', detail, `it failed (${detail})`)
    },
    expire() {
      if (!open) return
      const detail = `no answer within ${tap.budgetMs} ms`
      endBadly('timed-out', detail, detail)
    },
  }
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
