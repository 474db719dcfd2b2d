// Not the global of this name, which is a getter.
import { performance } from 'node:perf_hooks'
import type { Budget, Expiring, Watch } from './hook-budget.ts'
import type { HookFault, TapCall } from './hook-list.ts'

export type Answer = Readonly<Record<string, unknown>> | undefined
export type Payload = Readonly<Record<string, unknown>>

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

/** One call of one tap; `done` is what the hook waits for. */
export interface Asked {
  readonly tap: LiveTap
  readonly payload: Payload
  readonly done: unknown
}

/** How a tap ended: with a failure in words, or with an answer. The same function for every call: a closure of its own for each costs more than the tap. */
export type Settle = (asked: Asked, failure: string | undefined, answer: Answer) => void

/** What all runs of one hook share. */
export interface Running {
  readonly budget: Budget
  readonly settle: Settle
  readonly onFault: (tap: LiveTap, kind: HookFault['kind'], detail: string) => void
  /** When the last tap ended, 0 where none has just done so. The end of one tap is the start of the next one in line: the clock is read once for both. */
  ended: number
}

/** One run of a tap. It ends once: the first of answer, failure and time-out counts. A class, because one is made per tap and call. */
export class TapRun implements Expiring, TapCall, Asked {
  readonly tap: LiveTap
  readonly payload: Payload
  readonly done: unknown
  private readonly running: Running
  private readonly started: number
  private controller: AbortController | undefined = undefined
  private open = true

  constructor(running: Running, tap: LiveTap, payload: Payload, done: unknown) {
    this.running = running
    this.tap = tap
    this.payload = payload
    this.done = done
    this.started = running.ended || performance.now()
    running.ended = 0
  }

  /** Made when it is first asked for: most taps never look at it. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    return this.controller.signal
  }

  /** Within the budget of its tap. */
  wait(answer: Promise<unknown>, watch: Watch): void {
    this.running.budget.start(watch, this, this.tap.budgetMs)
    answer.then(
      (value) => this.resolve(value),
      (error: unknown) => this.reject(error),
    )
  }

  resolve(answer: unknown): void {
    if (this.open) this.end(undefined, answer as Answer)
  }

  reject(error: unknown): void {
    if (!this.open) return
    const detail = error instanceof Error ? error.message : String(error)
    this.fault('threw', detail)
    this.end(`it failed (${detail})`, undefined)
  }

  expire(): void {
    if (!this.open) return
    const detail = `no answer within ${this.tap.budgetMs} ms`
    this.tap.timeouts += 1
    this.fault('timed-out', detail)
    this.end(detail, undefined)
    this.controller?.abort(new Error(detail))
  }

  private fault(kind: HookFault['kind'], detail: string): void {
    this.tap.faults += 1
    this.running.onFault(this.tap, kind, detail)
  }

  private end(failure: string | undefined, answer: Answer): void {
    this.open = false
    const { tap, running } = this
    const ended = performance.now()
    const spent = ended - this.started
    tap.calls += 1
    tap.totalMs += spent
    if (spent > tap.maxMs) tap.maxMs = spent
    running.ended = ended
    running.settle(this, failure, answer)
    running.ended = 0
  }
}
