import { fail } from '@agent/plugin-sdk/errors'
import type { CronJob, JobRun, JobSpec, Jobs } from '#store/jobs.ts'
import type { PostedPart } from '#store/journal.ts'
import { comingTimes, nextTime } from './due-times.ts'
import { type JobHand, joinHands } from './job-hands.ts'
import { type CronWish, type JobGround, type JobMaker, makeSpec, readSchedule } from './make-spec.ts'
import { settledDelivery } from './run-post.ts'

export interface JobDeskOptions extends JobGround {
  readonly jobs: Jobs
  /** What became of the messages of a post. */
  readonly posted: (id: string) => Promise<readonly PostedPart[]>
}

/** Who asks: an owner sees the jobs of that owner; absent: all jobs are seen. */
export interface JobScope {
  readonly owner?: string | undefined
}

/** The one way to make and change jobs, for tools, commands, the command line and blueprints. */
export interface JobDesk {
  create(wish: CronWish, maker: JobMaker): Promise<{ readonly job: CronJob; readonly isNew: boolean }>
  list(scope: JobScope): Promise<readonly CronJob[]>
  /** By id, the beginning of one, or name. Rejects with JOB_NOT_FOUND or JOB_AMBIGUOUS. */
  find(reference: string, scope: JobScope): Promise<CronJob>
  edit(reference: string, wish: CronWish, by: JobScope & JobHand & Pick<JobMaker, 'isStranger' | 'terminal'>): Promise<CronJob>
  pause(reference: string, scope: JobScope): Promise<CronJob>
  resume(reference: string, scope: JobScope): Promise<CronJob>
  /** Asks for a run out of turn; it begins when the gateway sees it. */
  run(reference: string, scope: JobScope): Promise<CronJob>
  remove(reference: string, scope: JobScope): Promise<CronJob>
  /** What is due until a moment, the nearest first; of many jobs only the next times of each. */
  coming(until: number, scope: JobScope): Promise<readonly { readonly at: number; readonly job: CronJob }[]>
  /** The newest run of each job, with what became of its answer by now. */
  newest(): Promise<readonly JobRun[]>
  /** The newest runs first, with what became of their answers by now. */
  history(most: number, scope: JobScope & { readonly job?: string | undefined }): Promise<readonly JobRun[]>
}

export function createJobDesk(options: JobDeskOptions): JobDesk {
  const { jobs, now } = options
  const find = (reference: string, scope: JobScope): Promise<CronJob> => findJob(jobs, reference, scope)
  const settle = (runs: readonly JobRun[]): Promise<readonly JobRun[]> =>
    Promise.all(runs.map(async (run) => ({ ...run, ...(await settledDelivery(run, options.posted)) })))
  const change = async (reference: string, scope: JobScope, make: (job: CronJob) => CronJob): Promise<CronJob> => {
    const { id } = await find(reference, scope)
    const job = await jobs.change(id, make)
    if (!job) throw fail('JOB_NOT_FOUND', { job: reference })
    return job
  }
  return {
    async create(asked, maker) {
      const since = now()
      refuseWords(asked, maker.terminal?.script)
      const wish = await findSources(jobs, asked, maker.owner)
      const wanted = makeSpec(options, wish, maker, since)
      const at = nextTime(readSchedule(wanted, since), since, { zone: wanted.zone, anchorAt: since })
      const before = await requireRoom(jobs, wanted, maker)
      if (before) requireTerminal(before, maker)
      // It goes on being bound by those who made and changed the job whose place it takes.
      const toolsets = wish.toolsets ?? before?.toolsets
      const spec = before ? makeSpec(options, { ...wish, toolsets }, { ...maker, ...joinHands(before, maker) }, since) : wanted
      const made = await jobs.add(spec, at, since)
      return wish.paused ? { ...made, job: await change(made.job.id, {}, paused) } : made
    },
    list: ({ owner }) => jobs.list(owner),
    find,
    async edit(reference, asked, by) {
      const before = await find(reference, by)
      requireTerminal(before, by)
      refuseWords(asked, by.terminal?.script ?? before.script)
      const wish = await findSources(jobs, asked, before.owner)
      const said = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined))
      const since = wish.schedule === undefined ? before.createdAt - 1 : now()
      const hands = { ...joinHands(before, by), toolsets: by.toolsets }
      const { owner, origin } = before
      const maker = {
        owner,
        ...(origin === undefined ? {} : { origin }),
        ...hands,
        isStranger: by.isStranger === true,
        terminal: { script: by.terminal?.script ?? before.script },
      }
      const spec = makeSpec(options, { ...before, ...said }, maker, since)
      if (before.state === 'done') await requireRoom(jobs, spec, by)
      const isMoved = spec.schedule !== before.schedule || spec.zone !== before.zone
      return change(before.id, by, (job) => (isMoved ? scheduled({ ...job, ...spec, anchorAt: now() }, now()) : { ...job, ...spec }))
    },
    pause: (reference, scope) => change(reference, scope, paused),
    resume: (reference, scope) => change(reference, scope, (job) => (job.state === 'paused' ? scheduled(job, now()) : job)),
    async run(reference, scope) {
      const job = await find(reference, scope)
      await jobs.ask(job.id, now())
      return job
    },
    async remove(reference, scope) {
      const job = await find(reference, scope)
      await jobs.remove(job.id)
      return job
    },
    coming: async (until, { owner }) => comingOf(await jobs.list(owner), now(), until),
    newest: async () => settle(await jobs.newest()),
    async history(most, { job, owner }) {
      const of = job === undefined ? undefined : (await find(job, { owner })).id
      return settle(await jobs.history(most, { job: of, owner }))
    },
  }
}

/** Due times that somebody looks at. */
const mostComing = 600

function comingOf(jobs: readonly CronJob[], since: number, until: number): Awaited<ReturnType<JobDesk['coming']>> {
  const open = jobs.filter(({ nextAt }) => nextAt !== null)
  const most = Math.max(3, Math.floor(mostComing / open.length))
  return open
    .flatMap((job) => comingTimes(readSchedule(job, since), job.nextAt, { until, most }, job).map((at) => ({ at, job })))
    .sort((one, other) => one.at - other.at)
    .slice(0, mostComing)
}

/** What a script does was read by the owner, with its times and places; others do not change them. */
function requireTerminal({ script }: CronJob, { terminal }: Pick<JobMaker, 'terminal'>): void {
  if (script && !terminal)
    throw fail('JOB_INVALID', { field: 'it', problem: 'runs a script, and only agent cron edit at the terminal changes that' })
}

/** Nobody would read what is said to an agent that does not run. */
function refuseWords({ prompt = '' }: CronWish, script: CronJob['script']): void {
  if (script && prompt.trim() !== '')
    throw fail('JOB_INVALID', { field: 'the prompt', problem: `is read by nobody: the job runs ${script.name}` })
}

/** The ids of the jobs whose answers are wanted; those of others are not found. */
async function findSources(jobs: Jobs, wish: CronWish, owner: string): Promise<CronWish> {
  if (wish.contextFrom === undefined) return wish
  const found = await Promise.all(wish.contextFrom.map((reference) => findJob(jobs, reference, { owner })))
  return { ...wish, contextFrom: found.map(({ id }) => id) }
}

/** Most jobs that are still to be run: of a home, and of an owner who is not the owner of the profile. */
const mostJobs = 500
const mostOfStranger = 20

/** The job whose place the new one takes, where there is one. */
async function requireRoom(
  jobs: Jobs,
  { owner, name, schedule, zone }: JobSpec,
  { isStranger }: Pick<JobMaker, 'isStranger'>,
): Promise<CronJob | undefined> {
  const open = (await jobs.list()).filter(({ state }) => state !== 'done')
  const own = open.filter((job) => job.owner === owner)
  const same = own.find((job) => job.name === name && job.schedule === schedule && job.zone === zone)
  if (same) return same
  const most = isStranger ? mostOfStranger : mostJobs
  if (open.length >= mostJobs || own.length >= most)
    throw fail('JOB_INVALID', {
      field: 'it',
      problem: `would be one more than the ${own.length >= most ? most : mostJobs} that there may be; remove one first`,
    })
  return undefined
}

const paused = (job: CronJob): CronJob => (job.state === 'scheduled' ? { ...job, state: 'paused', nextAt: null } : job)

/** The job with its next due time from now on. */
function scheduled(job: CronJob, now: number): CronJob {
  const at = nextTime(readSchedule(job, now), now, job)
  if (at === null) throw fail('SCHEDULE_INVALID', { schedule: job.schedule, problem: 'that moment is over; give the job another schedule' })
  return { ...job, state: 'scheduled', nextAt: at, pausedWhy: undefined }
}

async function findJob(jobs: Jobs, reference: string, { owner }: JobScope): Promise<CronJob> {
  const wanted = reference.trim()
  const all = await jobs.list(owner)
  const exact = all.find(({ id }) => id === wanted)
  if (exact) return exact
  const named = all.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const found = named.length > 0 || wanted.length < 5 ? named : all.filter(({ id }) => id.startsWith(wanted))
  const [first, ...more] = found
  if (!first) throw fail('JOB_NOT_FOUND', { job: wanted.slice(0, 100) })
  if (more.length > 0)
    throw fail('JOB_AMBIGUOUS', { job: wanted, matches: found.map(({ id, schedule }) => `${id} (${schedule})`).join(', ') })
  return first
}
