import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { parse } from 'yaml'
import * as z from 'zod'
import type { Row } from './figure.ts'

const missesSchema = z.nullable(z.array(z.strictObject({ figure: z.string(), value: z.string(), reason: z.string().min(1) })))

/** A budget that is known to be missed, with what was measured and why it is put up with. */
export interface Miss {
  readonly figure: string
  readonly value: string
  readonly reason: string
}

export function readMisses(root: string): readonly Miss[] {
  const file = join(root, 'test/bench/misses.yaml')
  const parsed = missesSchema.safeParse(parse(readFileSync(file, 'utf8')))
  if (!parsed.success) throw fail('INTERNAL', { detail: `${file} is not a list of {figure, value, reason}` })
  return parsed.data ?? []
}

export interface Verdict {
  /** Missed without a line in misses.yaml, or by more than its line says: the run fails. */
  readonly unexplained: readonly Row[]
  readonly explained: readonly { readonly row: Row; readonly miss: Miss }[]
  /** Lines whose budget is met now. */
  readonly removable: readonly Miss[]
}

/** Two runs of one build on a quiet machine differ by up to a tenth; more is a change. */
const margin = 1.1

export function judgeRows(rows: readonly Row[], misses: readonly Miss[]): Verdict {
  const missed = rows.filter((row) => !row.ok)
  const find = (row: Row): Miss | undefined => misses.find((miss) => miss.figure === row.figure && isWithin(row, miss))
  return {
    unexplained: missed.filter((row) => !find(row)),
    explained: missed.flatMap((row) => {
      const miss = find(row)
      return miss ? [{ row, miss }] : []
    }),
    removable: misses.filter((miss) => rows.some((row) => row.figure === miss.figure && row.ok)),
  }
}

/** Whether a figure misses its budget by no more than was listed; a value that cannot be compared is not excused. */
function isWithin({ budget, value }: Row, miss: Miss): boolean {
  const [now, listed] = [Number.parseFloat(value), Number.parseFloat(miss.value)]
  return budget.startsWith('≥') ? now * margin >= listed : now <= listed * margin
}
