import type { Watch } from './hook-budget.ts'
import { type LiveTap, type Payload, type Running, type Tap, TapRun } from './tap-run.ts'

/** Runs one tap; the hook's `settle` is called exactly once with `done`, whatever the tap does. */
export type Fence = (tap: LiveTap, payload: Payload, done: unknown, watch: Watch) => void

/** A tap that times out this often is not run again. */
export const timeoutsAllowed = 2

export function createFence(running: Running): Fence {
  return (tap, payload, done, watch) => {
    if (!tap.live || !matches(tap.filter, payload)) {
      running.settle({ tap, payload, done }, undefined, undefined)
      return
    }
    if (tap.timeouts >= timeoutsAllowed) {
      running.settle({ tap, payload, done }, `it is out of order after ${tap.timeouts} time-outs`, undefined)
      return
    }
    const run = new TapRun(running, tap, payload, done)
    let answer: unknown
    try {
      answer = tap.run(payload, run)
    } catch (error) {
      run.reject(error)
      return
    }
    if (isPromise(answer)) run.wait(answer, watch)
    else run.resolve(answer)
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
  return value instanceof Promise || isThenable(value)
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
