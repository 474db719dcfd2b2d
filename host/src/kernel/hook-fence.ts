import type { Budget } from './hook-budget.ts'
import { type LiveTap, type OnFault, type Settle, type Tap, TapRun } from './tap-run.ts'

export type Payload = Readonly<Record<string, unknown>>

/** Runs one tap; `settle` is called exactly once, whatever the tap does. */
export type Fence = (tap: LiveTap, payload: Payload, settle: Settle) => void

/** A tap that times out this often is not run again. */
export const timeoutsAllowed = 2

export function createFence(budget: Budget, onFault: OnFault): Fence {
  const stopwatch = { ended: 0 }
  return (tap, payload, settle) => {
    if (!tap.live || !matches(tap.filter, payload)) {
      settle(undefined, undefined)
      return
    }
    if (tap.timeouts >= timeoutsAllowed) {
      settle(`it is out of order after ${tap.timeouts} time-outs`, undefined)
      return
    }
    const run = new TapRun(tap, settle, onFault, stopwatch)
    let answer: unknown
    try {
      answer = tap.run(payload, run)
    } catch (error) {
      run.reject(error)
      return
    }
    if (isPromise(answer)) wait(answer, run, tap.budgetMs, budget)
    else run.resolve(answer)
  }
}

function wait(answer: Promise<unknown>, run: TapRun, budgetMs: number, budget: Budget): void {
  budget.watch(run, budgetMs)
  answer.then(
    (value) => {
      budget.release(run)
      run.resolve(value)
    },
    (error: unknown) => {
      budget.release(run)
      run.reject(error)
    },
  )
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
