import type { Clock } from '@agent/plugin-sdk'

const sweepMs = 50

/** One tap at work whose answer is awaited. */
export class TapRun {
  readonly deadline: number
  readonly #expire: (run: TapRun) => void
  #controller: AbortController | undefined

  constructor(deadline: number, expire: (run: TapRun) => void) {
    this.deadline = deadline
    this.#expire = expire
  }

  /** Made when it is first asked for: most taps never look at it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  expire(): void {
    this.#expire(this)
    this.#controller?.abort(new Error('The budget of this tap is over.'))
  }
}

export interface Budget {
  now(): number
  watch(run: TapRun): void
  release(run: TapRun): void
  close(): void
}

/** Keeps the budgets of all running taps with one timer, which runs only while a tap does: a timer per call would cost more than the call. */
export function openBudget(clock: Clock): Budget {
  const running = new Set<TapRun>()
  const closed = new AbortController()
  let sweeping = false

  async function sweep(): Promise<void> {
    while (running.size > 0 && !closed.signal.aborted) {
      await clock.sleep(sweepMs, closed.signal).catch((error: unknown) => {
        if (!closed.signal.aborted) throw error
      })
      const now = clock.now()
      for (const run of running) {
        if (run.deadline > now && !closed.signal.aborted) continue
        running.delete(run)
        run.expire()
      }
    }
    sweeping = false
  }

  return {
    now: () => clock.now(),
    watch(run) {
      running.add(run)
      if (sweeping) return
      sweeping = true
      void sweep()
    },
    release: (run) => void running.delete(run),
    close: () => closed.abort(),
  }
}
