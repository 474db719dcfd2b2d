import type { FakeModel } from './fake-model.ts'

/** One line of the table. */
export interface Row {
  /** Stable name; `misses.yaml` uses it. */
  readonly figure: string
  readonly budget: string
  /** What was measured beside it, so that a slow machine shows. */
  readonly floor: string
  readonly value: string
  readonly ok: boolean
  /** What the numbers mean, where the columns do not say it. */
  readonly note?: string
}

/** What every figure may use. */
export interface Bench {
  /** The checkout. */
  readonly root: string
  /** Everything that a figure writes lies here; removed at the end. */
  readonly folder: string
  readonly signal: AbortSignal
  /** Started at the first use, shared by all. */
  model(): Promise<FakeModel>
}

/** A measurement that gives one row or several that belong together. */
export interface Figure {
  readonly name: string
  /** It takes over a minute, or needs the network: only `--only` measures it. */
  readonly onlyByName?: true
  measure(bench: Bench): Promise<readonly Row[]>
}

/** Milliseconds of `node -e 0` on the machine that the budgets in milliseconds were written for. */
const referenceNodeMs = 22

/** A machine on which Node starts slower than this is too slow, or too busy, to excuse anything by it. */
const mostSlowness = 3

/** How many times slower this machine is than the reference, by its own start of Node; never less than 1, and bounded. */
export function slownessOf(nodeMs: number): number {
  return Math.min(mostSlowness, Math.max(1, nodeMs / referenceNodeMs))
}

/** Judges a cold start in milliseconds: a machine whose own Node starts slower than the reference gets as much more time. */
export function judgeColdStart(figure: string, measured: { valueMs: number; nodeMs: number; budgetMs: number }): Row {
  const { valueMs, nodeMs, budgetMs } = measured
  const scale = slownessOf(nodeMs)
  const allowed = budgetMs * scale
  return {
    figure,
    budget: `≤ ${budgetMs} ms`,
    floor: `${nodeMs.toFixed(0)} ms node -e 0`,
    value: `${valueMs.toFixed(0)} ms`,
    ok: valueMs <= allowed,
    ...(scale > 1
      ? {
          note: `node -e 0 takes ${nodeMs.toFixed(1)} ms here and ${referenceNodeMs} ms on the reference machine: ${allowed.toFixed(0)} ms allowed`,
        }
      : {}),
  }
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
