import type { Store } from '../../../host/src/store/store.ts'
import { type Column, printProblems, printTable } from '../table.ts'
import type { Span } from './forms.ts'

import { judgeJob, type Lived, type Verdict } from './judge.ts'
import type { Year } from './live.ts'
import type { Made } from './run.ts'

interface Row extends Verdict {
  readonly form: string
  readonly jobs: number
  readonly due: number
}

const columns: readonly Column<Row>[] = [
  ['schedule', ({ form }) => form],
  ['jobs', ({ jobs }) => jobs],
  ['due times', ({ due }) => due],
  ['run', ({ onTime }) => onTime],
  ['in another run', ({ madeUp }) => madeUp],
  ['missed by rule', ({ missed }) => missed],
  ['skipped', ({ skipped }) => skipped],
  ['lost in a kill', ({ lost }) => lost],
  ['wrong', ({ problems }) => problems.length],
]

interface Found {
  readonly store: Store
  readonly made: readonly Made[]
  readonly span: Span
  readonly year: Year
}

/** Prints what became of the due times; true when each became what it should. */
export async function report(found: Found): Promise<boolean> {
  const { year, made } = found
  const notes = notesOf(year)
  const rows = new Map<string, Row>()
  const problems: string[] = []
  for (const each of made) {
    const lived = await readLife(found, each, notes)
    const verdict = judgeJob(lived, (from, beforeStep) => (year.servedUpTo[beforeStep - 1] ?? Number.NEGATIVE_INFINITY) >= from)
    rows.set(each.form, addUp(rows.get(each.form), each.form, lived, verdict))
    problems.push(...verdict.problems.map((problem) => `${each.job.schedule} in ${each.zone.name}, missed: ${lived.missed}: ${problem}.`))
  }
  const all = [...rows.values()]
  printTable(columns, [...all, all.reduce((sum, row) => ({ ...total(sum, row), form: 'all' }))])
  const { starts, kills, forward, back } = year.counts
  console.log(`${starts} starts of gateways, ${kills} kills; clocks were set forward ${forward} times, and back ${back} times`)
  return printProblems(problems.slice(0, 20), 'Each due time became exactly one run, by its rule.')
}

type Notes = ReadonlyMap<string, { handled: Map<number, { wall: number; step: number }>; executed: Map<number, number> }>

function notesOf({ handled, executed }: Year): Notes {
  const notes = new Map<string, { handled: Map<number, { wall: number; step: number }>; executed: Map<number, number> }>()
  const of = (job: string) => {
    const note = notes.get(job) ?? { handled: new Map(), executed: new Map() }
    notes.set(job, note)
    return note
  }
  for (const { job, dueAt, wall, step } of handled) of(job).handled.set(dueAt, { wall, step })
  for (const key of executed) {
    const [job = '', dueAt] = key.split(' ')
    const { executed: times } = of(job)
    times.set(Number(dueAt), (times.get(Number(dueAt)) ?? 0) + 1)
  }
  return notes
}

async function readLife({ store, span }: Found, { form, job, zone, written }: Made, notes: Notes): Promise<Lived> {
  const runs = await store.jobs.history(1_000_000, { job: job.id })
  const { handled = new Map(), executed = new Map() } = notes.get(job.id) ?? {}
  return { form, missed: job.missed, due: written.due(zone, span, job.createdAt), to: span.to, runs, handled, executed }
}

function addUp(before: Row | undefined, form: string, { due, to }: Lived, verdict: Verdict): Row {
  const row = { ...verdict, form, jobs: 1, due: due.filter((at) => at <= to).length }
  return before ? total(before, row) : row
}

function total(one: Row, other: Row): Row {
  const sum = (key: Exclude<keyof Row, 'form' | 'problems'>): number => one[key] + other[key]
  return {
    ...{ form: one.form, jobs: sum('jobs'), due: sum('due'), onTime: sum('onTime'), madeUp: sum('madeUp') },
    ...{ missed: sum('missed'), skipped: sum('skipped'), lost: sum('lost'), problems: [...one.problems, ...other.problems] },
  }
}
