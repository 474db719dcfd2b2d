import type { Clock } from '@agent/plugin-sdk'

const sweepMs = 50

/** Something at work that must end in time; a link of the chain that the budget walks. */
export interface Watched {
  deadline: number
  before: Watched | undefined
  behind: Watched | undefined
  expire(): void
}

export interface Budget {
  watch(work: Watched, budgetMs: number): void
  release(work: Watched): void
  close(): void
}

/**
 * Keeps the budgets of all running taps with one timer, which runs only while a tap does: a timer per call would cost more than the call.
 * A chain, not a Set: under load the Set's rehashing and garbage took a third of a dispatch.
 */
export function openBudget(clock: Clock): Budget {
  const closed = new AbortController()
  let first: Watched | undefined
  let sweeping = false
  // The time of the last sweep is near enough for a deadline, and costs nothing to read.
  let swept = 0

  function release(work: Watched): void {
    if (work.before) work.before.behind = work.behind
    else if (first === work) first = work.behind
    if (work.behind) work.behind.before = work.before
    work.before = undefined
    work.behind = undefined
  }

  function expireLate(): void {
    swept = clock.now()
    let work = first
    while (work) {
      const next: Watched | undefined = work.behind
      if (work.deadline <= swept || closed.signal.aborted) {
        release(work)
        work.expire()
      }
      work = next
    }
  }

  async function sweep(): Promise<void> {
    while (first) {
      await clock.sleep(sweepMs, closed.signal).catch((error: unknown) => {
        if (!closed.signal.aborted) throw error
      })
      expireLate()
    }
    sweeping = false
  }

  return {
    watch(work, budgetMs) {
      if (!sweeping) {
        sweeping = true
        swept = clock.now()
        queueMicrotask(() => void sweep())
      }
      // A sweep may be up to one pause old: the budget is never cut short.
      work.deadline = swept + sweepMs + budgetMs
      work.behind = first
      if (first) first.before = work
      first = work
    },
    release,
    close: () => closed.abort(),
  }
}
