import type { Clock } from '@agent/plugin-sdk'

const sweepMs = 50

/** Something at work that must end in time. */
export interface Expiring {
  expire(): void
}

/** What one dispatch waits for, one tap at a time; a link of the chain that the budget walks. */
export class Watch {
  deadline = Number.POSITIVE_INFINITY
  work: Expiring | undefined = undefined
  linked = false
  before: Watch | undefined = undefined
  behind: Watch | undefined = undefined
}

export interface Budget {
  /** From now on the watch is for this work; what it was for before has ended. */
  start(watch: Watch, work: Expiring, budgetMs: number): void
  /** The dispatch is over. */
  release(watch: Watch): void
  close(): void
}

/**
 * Keeps the budgets of all running taps with one timer, which runs only while a tap does: a timer per call would cost more than the call.
 * A chain, not a Set: under load the Set's rehashing and garbage took a third of a dispatch. A link for the whole dispatch, not one for
 * every tap: what old objects know of new ones is booked by the garbage collector, at a fifth of a dispatch.
 */
export function openBudget(clock: Clock): Budget {
  const closed = new AbortController()
  let first: Watch | undefined
  let sweeping = false
  // The time of the last sweep is near enough for a deadline, and costs nothing to read.
  let swept = 0

  function link(watch: Watch): void {
    watch.linked = true
    watch.behind = first
    if (first) first.before = watch
    first = watch
    if (sweeping) return
    sweeping = true
    swept = clock.now()
    queueMicrotask(() => void sweep())
  }

  /** False where nothing was late. */
  function expireLate(): boolean {
    let found = false
    swept = clock.now()
    let watch = first
    while (watch) {
      const next: Watch | undefined = watch.behind
      const { work } = watch
      if (work && (watch.deadline <= swept || closed.signal.aborted)) {
        found = true
        // What comes after it in the same dispatch starts in here.
        watch.work = undefined
        work.expire()
      }
      watch = next
    }
    return found
  }

  async function sweep(): Promise<void> {
    for (let found = true; first && (found || !closed.signal.aborted); ) {
      await clock.sleep(sweepMs, closed.signal).catch((error: unknown) => {
        if (!closed.signal.aborted) throw error
      })
      found = expireLate()
    }
    sweeping = false
  }

  return {
    start(watch, work, budgetMs) {
      if (!watch.linked) link(watch)
      // A sweep may be up to one pause old: the budget is never cut short.
      watch.deadline = swept + sweepMs + budgetMs
      watch.work = work
    },
    release(watch) {
      if (!watch.linked) return
      watch.linked = false
      if (watch.before) watch.before.behind = watch.behind
      else first = watch.behind
      if (watch.behind) watch.behind.before = watch.before
      watch.before = undefined
      watch.behind = undefined
    },
    close: () => closed.abort(),
  }
}
