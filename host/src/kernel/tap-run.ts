import type { Watched } from './hook-budget.ts'
import type { HookFault, TapCall } from './hook-list.ts'

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
export type Settle = (failure: string | undefined, answer: Answer) => void
export type OnFault = (tap: LiveTap, kind: HookFault['kind'], detail: string) => void

/** The end of one tap is the start of the next one in line: the clock is read once for both. */
export interface Stopwatch {
  /** 0 where no tap has just ended. */
  ended: number
}

/** One run of a tap. It ends once: the first of answer, failure and time-out counts. A class, because one is made per tap and call. */
export class TapRun implements Watched, TapCall {
  deadline = 0
  before: Watched | undefined
  behind: Watched | undefined
  #controller: AbortController | undefined
  #open = true
  readonly #tap: LiveTap
  readonly #settle: Settle
  readonly #onFault: OnFault
  readonly #stopwatch: Stopwatch
  readonly #started: number

  constructor(tap: LiveTap, settle: Settle, onFault: OnFault, stopwatch: Stopwatch) {
    this.#stopwatch = stopwatch
    this.#started = stopwatch.ended || performance.now()
    stopwatch.ended = 0
    this.#tap = tap
    this.#settle = settle
    this.#onFault = onFault
  }

  /** Made when it is first asked for: most taps never look at it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  resolve(answer: unknown): void {
    if (this.#open) this.#end(undefined, answer as Answer)
  }

  reject(error: unknown): void {
    if (!this.#open) return
    const detail = error instanceof Error ? error.message : String(error)
    this.#fault('threw', detail)
    this.#end(`it failed (${detail})`, undefined)
  }

  expire(): void {
    if (!this.#open) return
    const detail = `no answer within ${this.#tap.budgetMs} ms`
    this.#tap.timeouts += 1
    this.#fault('timed-out', detail)
    this.#end(detail, undefined)
    this.#controller?.abort(new Error(detail))
  }

  #fault(kind: HookFault['kind'], detail: string): void {
    this.#tap.faults += 1
    this.#onFault(this.#tap, kind, detail)
  }

  #end(failure: string | undefined, answer: Answer): void {
    this.#open = false
    const tap = this.#tap
    const ended = performance.now()
    const spent = ended - this.#started
    tap.calls += 1
    tap.totalMs += spent
    if (spent > tap.maxMs) tap.maxMs = spent
    this.#stopwatch.ended = ended
    this.#settle(failure, answer)
    this.#stopwatch.ended = 0
  }
}
