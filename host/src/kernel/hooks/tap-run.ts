// Not the global of this name, which is a getter.
import { performance } from 'node:perf_hooks'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { Budget, Expiring, Watch } from './hook-budget.ts'
import type { HookFault, TapCall } from './hook-list.ts'

export type HookPayload = Readonly<Record<string, unknown>>

/** A tap as it was handed in. */
export interface Tap {
  readonly owner: string
  readonly filter: Readonly<Record<string, readonly string[] | undefined>> | undefined
  readonly stage: number
  readonly budgetMs: number
  readonly run: (payload: unknown, call: TapCall) => unknown
}

/** A tap and what it has cost so far. */
export interface LiveTap extends Omit<Tap, 'run'> {
  run: Tap['run']
  live: boolean
  calls: number
  faults: number
  timeouts: number
  totalMs: number
  maxMs: number
}

/** What all runs of one hook share. */
export interface Runner {
  readonly budget: Budget
  readonly onFault: (tap: LiveTap, kind: HookFault['kind'], detail: string) => void
}

/** How a tap ended: with a failure in words, or with an answer. */
export type Settle = (run: TapRun, failure: string | undefined, answer: unknown) => void

/** One run of a tap. It ends once: the first of answer, failure and time-out counts. A class, because one is made per tap and call. */
export class TapRun implements Expiring, TapCall {
  readonly tap: LiveTap
  private readonly runner: Runner
  private readonly late: Settle
  private readonly started: number
  private controller: AbortController | undefined = undefined
  open = true

  /** Started at `started` (milliseconds of performance.now); `late` is called where its time is over. */
  constructor(tap: LiveTap, runner: Runner, started: number, late: Settle) {
    this.tap = tap
    this.runner = runner
    this.started = started
    this.late = late
  }

  /** Made when it is first asked for: most taps never look at it. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    return this.controller.signal
  }

  /** Gives the answer to wait for, within the budget of the tap. */
  within(answer: unknown, watch: Watch): unknown {
    this.runner.budget.start(watch, this, this.tap.budgetMs)
    return answer
  }

  /** What the failure says. */
  threw(error: unknown): string {
    const detail = detailOf(error)
    this.fault('threw', detail)
    return `it failed (${detail})`
  }

  expire(): void {
    if (!this.open) return
    const detail = `no answer within ${this.tap.budgetMs} ms`
    this.tap.timeouts += 1
    this.fault('timed-out', detail)
    this.end()
    this.late(this, detail, undefined)
    // One that looks at its signal only now is late as well.
    this.controller ??= new AbortController()
    this.controller.abort(new Error(detail))
  }

  /** When it ended: the end of one tap is the start of the next one in line, so the clock is read once for both. */
  end(): number {
    this.open = false
    const { tap } = this
    const ended = performance.now()
    const spent = ended - this.started
    tap.calls += 1
    tap.totalMs += spent
    if (spent > tap.maxMs) tap.maxMs = spent
    return ended
  }

  private fault(kind: HookFault['kind'], detail: string): void {
    this.tap.faults += 1
    this.runner.onFault(this.tap, kind, detail)
  }
}

/** False for a tap that was taken out meanwhile, or whose filter names other values. */
export function applies({ live, filter }: LiveTap, payload: HookPayload): boolean {
  if (!live) return false
  for (const field in filter) {
    const allowed = filter[field]
    if (allowed !== undefined && !allowed.includes(String(payload[field]))) return false
  }
  return true
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return value instanceof Promise || (typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function')
}
