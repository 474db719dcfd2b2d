import type { JobRun, MissedRule } from '../../../host/src/store/jobs.ts'

const minute = 60_000
const hour = 60 * minute
/** A gateway looks at the clock once a minute. */
const notice = minute

/** A job as it was written, and what became of it. */
export interface Lived {
  readonly form: string
  readonly missed: MissedRule
  /** By the oracle, in order. */
  readonly due: readonly number[]
  /** Where the year ends; what is due later is not dealt with. */
  readonly to: number
  readonly runs: readonly JobRun[]
  /** By due time: what the clock showed when it was dealt with, and in which step. */
  readonly handled: ReadonlyMap<number, { readonly wall: number; readonly step: number }>
  /** How often its work was begun, by due time. */
  readonly executed: ReadonlyMap<number, number>
}

export interface Verdict {
  readonly onTime: number
  /** Due times that one later run stands for. */
  readonly madeUp: number
  readonly missed: number
  readonly skipped: number
  readonly lost: number
  readonly problems: readonly string[]
}

/** Every due time has to be part of exactly one run, and each run has to be what the documentation says. */
export function judgeJob(lived: Lived, wasServed: (from: number, beforeStep: number) => boolean): Verdict {
  const runs = lived.runs.filter(({ cause }) => cause === 'due').toSorted((one, other) => one.dueAt - other.dueAt)
  const problems: string[] = []
  const counts = { onTime: 0, madeUp: 0, missed: 0, skipped: 0, lost: 0 }
  let at = 0
  for (const run of runs) {
    if (lived.due[at] !== run.dueAt) {
      problems.push(`a run is due ${shown(run.dueAt)}, and by the oracle ${shown(lived.due[at])} is`)
      break
    }
    const last = at + run.collapsed
    problems.push(...judgeRun(lived, run, { last, wasServed }))
    count(counts, run)
    at = last + 1
  }
  const begun = [...lived.executed].filter(([dueAt, times]) => times > 1 || !runs.some((run) => run.dueAt === dueAt))
  for (const [dueAt, times] of begun) problems.push(`the work of ${shown(dueAt)} was begun ${times} times`)
  const open = lived.due[at]
  if (open !== undefined && open <= lived.to && problems.length === 0) problems.push(`nothing became of what was due ${shown(open)}`)
  return { ...counts, problems }
}

type Counts = { -readonly [Key in Exclude<keyof Verdict, 'problems'>]: number }

function count(counts: Counts, { state, collapsed }: JobRun): void {
  if (state === 'missed') counts.missed += 1 + collapsed
  else {
    counts.madeUp += collapsed
    if (state === 'ok') counts.onTime++
    if (state === 'skipped') counts.skipped++
    if (state === 'lost') counts.lost++
  }
}

interface Place {
  /** Which due time of the oracle the run reaches to. */
  readonly last: number
  readonly wasServed: (from: number, beforeStep: number) => boolean
}

function judgeRun(lived: Lived, run: JobRun, { last, wasServed }: Place): readonly string[] {
  const { due, missed, handled, executed } = lived
  const found = handled.get(run.dueAt)
  const [lastAt, nextAt] = [due[last], due[last + 1]]
  if (!found || lastAt === undefined) return [`nobody knows when ${shown(run.dueAt)} was dealt with`]
  const late = found.wall - lastAt
  const grace = nextAt === undefined ? 2 * minute : Math.min(Math.max((nextAt - lastAt) / 2, 2 * minute), 2 * hour)
  const isMissed = run.state === 'missed'
  const next = nextAt === undefined ? undefined : handled.get(nextAt)
  const isWhole = nextAt === undefined || nextAt > found.wall
  const isSplit = next?.step === found.step && nextAt !== undefined && found.wall - nextAt <= 2 * hour
  const rules: readonly (readonly [holds: boolean, problem: string])[] = [
    [late >= 0, 'was dealt with before its time'],
    [!wasServed(run.dueAt + notice, found.step), 'waited although a gateway ran'],
    [['ok', 'lost', 'missed', 'skipped'].includes(run.state), `is ${run.state}`],
    [run.state !== 'ok' || executed.get(run.dueAt) === 1, 'is ok, and its work was not done once'],
    [!isMissed || missed !== 'run', 'was not made up for'],
    [!isMissed || isSplit || (isWhole && late > grace), 'was missed although it was on time'],
    [isMissed || missed === 'run' || (run.collapsed === 0 && late <= grace), 'was run although it was missed'],
    [isMissed || isWhole, 'leaves out what became due by then'],
    [!isMissed && run.state !== 'skipped' ? true : !executed.has(run.dueAt), 'was done although it is not said to be'],
    [run.state !== 'skipped' || hasOpenBefore(lived, run), 'was skipped although nothing of the job ran'],
  ]
  return rules.flatMap(([holds, problem]) => (holds ? [] : [`what was due ${shown(run.dueAt)} ${problem}`]))
}

/** Whether an earlier run had been left by a killed gateway. */
const hasOpenBefore = ({ runs }: Lived, { seq }: JobRun): boolean => runs.some((other) => other.seq < seq && other.state === 'lost')

const shown = (at: number | undefined): string => (at === undefined ? 'nothing' : new Date(at).toISOString())
