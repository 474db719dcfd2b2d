import type { Log, WireError } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { newId } from '#kernel/ids.ts'
import type { CronJob, DueTime, JobRun, Jobs, RunClaim } from '../../jobs.ts'
import type { GroupCommit } from '../engine/group-commit.ts'
import type { Queries } from '../engine/statement.ts'
import { toJob, toJobRow, toRun } from './job-rows.ts'
import { prepareJobs, prepareRuns } from './job-statements.ts'

export interface JobsOptions {
  readonly queries: Queries
  readonly commits: GroupCommit
  readonly now: () => number
  readonly log: Log
  readonly liveOwners: () => ReadonlySet<string>
}

interface JobTools extends JobsOptions {
  readonly jobs: ReturnType<typeof prepareJobs>
  readonly runs: ReturnType<typeof prepareRuns>
  /** Runs work in a transaction, and tells who waits for the next due time. */
  change<Value>(work: () => Value): Promise<Value>
}

export function createJobs(options: JobsOptions): Jobs {
  const { queries, commits, log } = options
  const listeners = new Set<() => void>()
  const tell = (): void => {
    for (const listener of listeners) {
      try {
        listener()
      } catch (error) {
        log.error('A listener for jobs failed.', { error: detailOf(error) })
      }
    }
  }
  const change = async <Value>(work: () => Value): Promise<Value> => {
    const value = await commits.run(work)
    // Who hears of a change looks again: a look that has found nothing must not call for the next one.
    if (value) tell()
    return value
  }
  const tools: JobTools = { ...options, jobs: prepareJobs(queries), runs: prepareRuns(queries), change }
  return {
    ...jobVerbs(tools),
    ...claimVerbs(tools),
    ...endVerbs(tools),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function jobVerbs({ jobs, runs, change, now }: JobTools): Pick<Jobs, 'add' | 'list' | 'find' | 'change' | 'remove' | 'nextDue' | 'due'> {
  return {
    add: (spec, nextAt, anchorAt) =>
      change(() => {
        const { name, owner, schedule, zone } = spec
        const same = jobs.same.get({ name, owner, schedule, zone })
        if (same) {
          const job: CronJob = { ...toJob(same), ...spec }
          jobs.set.run(toJobRow(job))
          return { job, isNew: false }
        }
        const at = now()
        const state = nextAt === null ? 'done' : 'scheduled'
        const job: CronJob = { ...spec, id: newId('job'), state, nextAt, completed: 0, anchorAt: anchorAt ?? at, createdAt: at }
        jobs.add.run(toJobRow(job))
        return { job, isNew: true }
      }),
    list: async (owner) => jobs.list.all({}).flatMap((row) => (owner === undefined || row.owner === owner ? [toJob(row)] : [])),
    find: async (id) => {
      const row = jobs.find.get({ id })
      return row && toJob(row)
    },
    change: (id, make) =>
      change(() => {
        const row = jobs.find.get({ id })
        if (!row) return undefined
        const job = { ...make(toJob(row)), id }
        jobs.set.run(toJobRow(job))
        return job
      }),
    remove: (id) =>
      change(() => {
        runs.removeOf.run({ job: id })
        return jobs.remove.run({ id }) === 1
      }),
    nextDue: async () => {
      const times = [jobs.next.get({})?.at, runs.nextWaiting.get({})?.at].filter((at) => typeof at === 'number')
      return times.length === 0 ? null : Math.min(...times)
    },
    due: async (at, most) => jobs.due.all({ now: at, most }).map(toJob),
  }
}

function claimVerbs(tools: JobTools): Pick<Jobs, 'claim' | 'miss' | 'ask' | 'claimWaiting'> {
  const { jobs, runs, change, now } = tools
  return {
    claim: (job, due, owner) => change(() => claim(tools, job, due, owner)),
    miss: (job, due, { tell }) =>
      change(() => {
        if (!advance(tools, job, due, 0)) return null
        const row = runs.add.get({ ...blankRun(job, due), state: 'missed', ended_at: now(), delivery: tell ? 'pending' : 'none' })
        return row ? toRun(row) : null
      }),
    ask: (job, at) =>
      change(() => {
        if (!jobs.find.get({ id: job })) return undefined
        const waiting = runs.asked.get({ job })
        if (waiting) return toRun(waiting)
        const asked = { ...blankRun(job, { dueAt: at, collapsed: 0 }), cause: 'asked', state: 'waiting', retry_at: at }
        const row = runs.add.get(asked)
        return row && toRun(row)
      }),
    claimWaiting: async (owner, at) => {
      // Mostly none waits, and a look takes no lock.
      const next = runs.nextWaiting.get({})?.at
      if (typeof next !== 'number' || next > at) return null
      return change(() => {
        const row = runs.take.get({ owner, now: at })
        const job = row && jobs.find.get({ id: row.job })
        return row && job ? { run: toRun(row), job: toJob(job) } : null
      })
    },
  }
}

const blankRun = (job: string, { dueAt, collapsed }: Pick<DueTime, 'dueAt' | 'collapsed'>) => ({
  ...{ job, due_at: dueAt, cause: 'due', collapsed, attempts: 0, owner: null },
  ...{ retry_at: null, started_at: null, ended_at: null, delivery: 'none' },
})

function claim(tools: JobTools, id: string, due: DueTime, owner: string): RunClaim | null {
  const { runs, now } = tools
  const isBusy = runs.isRunning.get({ job: id }) !== undefined
  const job = advance(tools, id, due, isBusy ? 0 : 1)
  if (!job) return null
  if (isBusy) {
    runs.add.run({ ...blankRun(id, due), state: 'skipped', ended_at: now() })
    return null
  }
  const tells = runs.overtake.all({ job: id, now: now() }).some(({ delivery }) => delivery === 'pending')
  const row = runs.add.get({ ...blankRun(id, due), state: 'running', owner, attempts: 1, started_at: now() })
  return row ? { run: toRun(row), job, ...(tells ? { tells } : {}) } : null
}

/** Goes on to the next due time; undefined where somebody else did. */
function advance({ jobs }: JobTools, id: string, { dueAt, nextAt }: DueTime, ran: number): CronJob | undefined {
  const found = jobs.find.get({ id })
  if (!found) return undefined
  const { repeat } = toJob(found)
  const next = repeat !== undefined && found.completed + ran >= repeat ? null : nextAt
  const row = jobs.advance.get({ id, due: dueAt, next, state: next === null ? 'done' : 'scheduled', ran })
  return row && toJob(row)
}

function endVerbs(tools: JobTools): Pick<Jobs, 'conclude' | 'postpone' | 'recover' | 'deliveries' | 'delivered' | 'history' | 'newest'> {
  const { jobs, runs, commits, change, now, liveOwners } = tools
  const format = (error: WireError | null | undefined): string | null => (error ? JSON.stringify(error) : null)
  const held = ({ run: { seq, owner, attempts } }: RunClaim) => ({ seq, owner: owner ?? '', attempts })
  return {
    conclude: (claimed, { state, error, ...end }, keep) =>
      change(() => {
        if (runs.end.run({ ...held(claimed), ...end, to: state, now: now(), error: format(error) }) === 0) return false
        runs.forget.run({ job: claimed.run.job, keep })
        return true
      }),
    postpone: (claimed, until, error) => change(() => runs.postpone.run({ ...held(claimed), until, error: JSON.stringify(error) }) === 1),
    recover: async (owner, { alone = false } = {}) => {
      // Mostly there is nothing to write.
      if (runs.running.all({}).length === 0) return []
      return change(() => {
        const live = alone ? new Set<string>() : liveOwners()
        const dead = runs.running.all({}).filter((row) => row.owner !== owner && !live.has(row.owner ?? ''))
        return dead.flatMap(({ seq }) => runs.lose.all({ seq, now: now() }).map(toRun))
      })
    },
    deliveries: async (states, most) =>
      runs.undelivered.all({ states: JSON.stringify(states), most }).flatMap((row) => {
        const job = jobs.find.get({ id: row.job })
        return job ? [{ run: toRun(row), job: toJob(job) }] : []
      }),
    delivered: async (seq, delivery, error) => void (await commits.run(() => runs.deliver.run({ seq, delivery, error: format(error) }))),
    newest: async () => runs.newest.all({}).map(toRun),
    history: async (most, { job, owner } = {}): Promise<readonly JobRun[]> => {
      if (job !== undefined) return runs.historyOf.all({ job, most }).map(toRun)
      return (owner === undefined ? runs.history.all({ most }) : runs.historyOfOwner.all({ owner, most })).map(toRun)
    },
  }
}
