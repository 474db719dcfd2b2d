// Not the global of this name, which is a getter.
import { performance } from 'node:perf_hooks'
import { Watch } from './hook-budget.ts'
import type { HookClass, HookRefusal } from './hook-list.ts'
import { applies, type HookPayload, isThenable, type LiveTap, type Runner, type Settle, TapRun } from './tap-run.ts'

/** Calls the taps of a hook, in order; never rejects. */
export type CallTaps = (taps: readonly LiveTap[], payload: HookPayload, runner: Runner) => Promise<unknown>

/** How each class of hook calls its taps. */
export const callTaps: Readonly<Record<HookClass, CallTaps>> = {
  gate: (taps, payload, runner) => new Promise((done) => void new GateCall(taps, payload, runner, done).from(0)),
  modify: (taps, payload, runner) => new Promise((done) => void new ModifyCall(taps, payload, runner, done).from(0)),
  // All start at once: a slow listener holds up nobody.
  async observe(taps, payload, runner) {
    await Promise.all(taps.map((tap) => observe(tap, payload, runner)))
  },
}

/** One call of a hook whose taps run one after the other. Where a tap is too late, the call goes on without it. */
abstract class SeriesCall {
  protected payload: HookPayload
  protected readonly done: (result: unknown) => void
  private readonly taps: readonly LiveTap[]
  private readonly runner: Runner
  private readonly watch = new Watch()

  constructor(taps: readonly LiveTap[], payload: HookPayload, runner: Runner, done: (result: unknown) => void) {
    this.taps = taps
    this.payload = payload
    this.runner = runner
    this.done = done
  }

  /** True where the call is over with what this tap said. */
  protected abstract settle(tap: LiveTap, failure: string | undefined, answer: unknown): boolean
  /** What the call comes to when no tap has ended it. */
  protected abstract result(): unknown

  async from(first: number): Promise<void> {
    let started = performance.now()
    for (let at = first; at < this.taps.length; at++) {
      const tap = this.taps[at] as LiveTap
      if (!applies(tap, this.payload)) continue
      const run = new TapRun(tap, this.runner, started, this.late)
      let failure: string | undefined
      let answer: unknown
      try {
        answer = tap.run(this.payload, run)
        if (isThenable(answer)) answer = await run.within(answer, this.watch)
      } catch (error) {
        if (run.open) failure = run.threw(error)
      }
      if (!run.open) return
      started = run.end()
      if (this.settle(tap, failure, answer)) return this.runner.budget.release(this.watch)
    }
    this.runner.budget.release(this.watch)
    this.done(this.result())
  }

  private readonly late: Settle = ({ tap }, failure) => {
    if (this.settle(tap, failure, undefined)) this.runner.budget.release(this.watch)
    else void this.from(this.taps.indexOf(tap) + 1)
  }
}

/** Ends with the first refusal. */
class GateCall extends SeriesCall {
  protected settle(tap: LiveTap, failure: string | undefined, answer: unknown): boolean {
    const reason = failure ?? readRefusal(answer)
    if (reason === undefined) return false
    this.done({ plugin: tap.owner, reason } satisfies HookRefusal)
    return true
  }

  protected result(): undefined {
    return undefined
  }
}

/** Ends with the payload and all patches. */
class ModifyCall extends SeriesCall {
  protected settle(_tap: LiveTap, _failure: string | undefined, patch: unknown): boolean {
    if (patch !== undefined && patch !== null) this.payload = { ...this.payload, ...patch }
    return false
  }

  protected result(): HookPayload {
    return this.payload
  }
}

/** Why a gate refuses; undefined lets through. An answer that means nothing is no consent. */
function readRefusal(answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined
  const refuse = typeof answer === 'object' ? (answer as { readonly refuse?: unknown }).refuse : undefined
  return typeof refuse === 'string' ? refuse : 'its answer is neither a refusal nor nothing'
}

function observe(tap: LiveTap, payload: HookPayload, runner: Runner): Promise<void> | undefined {
  if (!applies(tap, payload)) return undefined
  return new Promise((late) => {
    const watch = new Watch()
    const run = new TapRun(tap, runner, performance.now(), () => {
      runner.budget.release(watch)
      late()
    })
    const end = (): void => {
      runner.budget.release(watch)
      if (run.open) run.end()
      late()
    }
    const fail = (error: unknown): void => {
      if (run.open) run.threw(error)
      end()
    }
    try {
      const answer = tap.run(payload, run)
      if (isThenable(answer)) Promise.resolve(run.within(answer, watch)).then(end, fail)
      else end()
    } catch (error) {
      fail(error)
    }
  })
}
