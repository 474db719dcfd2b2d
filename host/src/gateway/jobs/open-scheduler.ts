import type { Clock, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Loaded } from '#config/file/loaded.ts'
import { ensureFolder, type Home } from '#config/home/home.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { CronJob, RunClaim, RunEnd } from '#store/jobs.ts'
import type { Journal } from '#store/journal.ts'
import type { Store } from '#store/store.ts'
import { untilWritten } from '#store/until-written.ts'
import { resolveFrom, type TargetParts } from '../directory/delivery-target.ts'
import type { Replies } from '../outbound/replies.ts'
import { openPump, type WorkSource } from '../pump/pump.ts'
import { claimDue, holdBack } from './claim-due.ts'
import { deliverRuns } from './deliver-runs.ts'
import { type JobEnd, type RunJobOptions, runJob } from './run-job.ts'
import type { RunScriptOptions } from './run-script.ts'
import { isSilent } from './run-text.ts'

export interface Scheduler {
  /** Another process may have changed jobs. */
  wake(): void
  close(): Promise<void>
}

export interface SchedulerOptions extends TargetParts, Pick<RunJobOptions, 'turns'>, Pick<RunScriptOptions, 'commandSandboxes'> {
  readonly home: Pick<Home, 'files'>
  readonly store: Pick<Store, 'jobs'>
  readonly journal: Pick<Journal, 'post' | 'posted'>
  /** Boot id of this gateway. */
  readonly owner: string
  readonly catalog: Pick<Catalog, 'plugins' | 'find' | 'of'>
  /** Read each time: a reload changes the settings. */
  readonly loaded: Pick<Loaded, 'config' | 'environment'>
  readonly services: { readonly skills: RunJobOptions['skills'] }
  readonly replies: Pick<Replies, 'unasked'>
  readonly inbox: { readonly refusalOf: (job: CronJob) => string | undefined }
  readonly clock: Clock
  readonly log: Log
}

interface Parts extends SchedulerOptions {
  readonly stop: AbortSignal
  readonly deliver: () => Promise<void>
}

/** A clock that is set, or a machine that sleeps, is noticed within this time. */
const longestSleepMs = 60_000
/** How long a job waits after an attempt at which its model was not to be had. */
const retryMs = [5, 15, 30].map((minutes) => minutes * 60_000)

/** Runs jobs when they are due. Without jobs it costs a look into the store at the start, and no timer. */
export async function openScheduler(options: SchedulerOptions): Promise<Scheduler> {
  const { store, owner, clock, log } = options
  const { jobs } = store
  const { refusalOf } = options.inbox
  const stop = new AbortController()
  const deliver = createDelivery(options, stop.signal)
  const parts: Parts = { ...options, stop: stop.signal, deliver }
  const source: WorkSource<RunClaim> = {
    claim: () => claimDue({ jobs, owner, onTell: () => void deliver(), refusalOf, now: clock.now, log }),
    nextAt: async (after) => {
      const next = await jobs.nextDue()
      return next === null || next <= after ? null : Math.min(next, after + longestSleepMs)
    },
    onWork: (wake) => jobs.onChange(wake),
  }
  const most = (): number => options.loaded.config.cron.max_parallel_jobs
  await jobs.recover(owner, { alone: true })
  const pump = openPump({ source, most, work: (claim) => run(parts, claim), name: 'jobs', stop: stop.signal, clock, log })
  if (await hasSome(jobs)) {
    void deliver()
    pump.wake()
  }
  return {
    wake: pump.wake,
    close: async () => {
      stop.abort(fail('INTERRUPTED'))
      await pump.close()
    },
  }
}

/** Whether something is due some day, or there were runs, of which one may wait or have something to say. */
async function hasSome(jobs: Pick<Store['jobs'], 'nextDue' | 'history'>): Promise<boolean> {
  return (await jobs.nextDue()) !== null || (await jobs.history(1)).length > 0
}

/** One delivery at a time, each after what was concluded before it. */
function createDelivery(options: SchedulerOptions, signal: AbortSignal): () => Promise<void> {
  const { store, journal, replies, catalog, rules, loaded, log } = options
  const homes = (): readonly string[] =>
    catalog.of('platform').flatMap(({ id, spec }) => (spec.door === 'messaging' && rules.of(id).settings.home_channel ? [id] : []))
  const delivering = {
    ...{ jobs: store.jobs, journal, replies, homes, log, resolve: resolveFrom(options) },
    refusalOf: (job: CronJob) => options.inbox.refusalOf(job),
    named: () => loaded.config.cron.wrap_response,
  }
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last
      .then(() => untilWritten(options, signal, () => deliverRuns(delivering)))
      .catch((error: unknown) => {
        if (!signal.aborted) log.error('what jobs have to say was not delivered', { error: String(error) })
      })
    return last
  }
}

async function run(parts: Parts, claim: RunClaim): Promise<void> {
  const { store, clock, loaded } = parts
  const { job, run: held } = claim
  // It may have waited since it was asked for.
  const refusal = parts.inbox.refusalOf(job)
  if (refusal !== undefined) {
    await holdBack(store.jobs, job, refusal)
    const nothing: RunEnd = { state: 'failed', output: '', session: null, error: null, delivery: 'none' }
    await store.jobs.conclude(claim, nothing, loaded.config.cron.output_retention)
    return
  }
  const { retryable, ...end } = await runWhat(parts, job)
  const pause = retryMs[held.attempts - 1]
  // What is written down after the stop has its own time.
  const patience = new AbortController().signal
  const { error } = end
  if (error && retryable && pause !== undefined) {
    await untilWritten(parts, patience, () => store.jobs.postpone(claim, clock.now() + pause, error))
    return
  }
  const state = error ? 'failed' : 'ok'
  const concluded: RunEnd = { ...end, state, delivery: deliveryOf(job.deliver, state, end.output) }
  const isOurs = await untilWritten(parts, patience, () => store.jobs.conclude(claim, concluded, loaded.config.cron.output_retention))
  if (isOurs && concluded.delivery === 'pending') await parts.deliver()
}

async function runWhat({ store, turns, services, home, commandSandboxes, clock, stop }: Parts, job: CronJob): Promise<JobEnd> {
  const { script } = job
  if (!script) return runJob({ turns, jobs: store.jobs, skills: services.skills, clock }, job, stop)
  const { runScript } = await import('./run-script.ts')
  return runScript({ commandSandboxes, workspace: () => ensureFolder(home.files.workspace), clock }, { ...job, script }, stop)
}

function deliveryOf(deliver: string, state: RunEnd['state'], output: string): RunEnd['delivery'] {
  if (state === 'ok' && isSilent(output)) return 'silent'
  if (state === 'ok' && output.trim() === '') return 'none'
  return deliver === 'local' ? 'local' : 'pending'
}
