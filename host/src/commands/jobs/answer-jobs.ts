import { fail } from '@agent/plugin-sdk/errors'
import type { JobDesk } from '#jobs/job-desk.ts'
import type { CronJob, JobPerson, JobRun } from '#store/jobs.ts'
import { formatJob, formatRun } from './format-job.ts'
import { splitSchedule } from './split-schedule.ts'

/** Who gave the command, and where. */
export interface JobAsker {
  /** Whose jobs are seen and changed. */
  readonly owner: string
  readonly isStranger: boolean
  readonly door?: string | undefined
  /** Key of the session; answers go there. */
  readonly origin?: string | undefined
  readonly people?: readonly JobPerson[] | undefined
}

type Act = (desk: JobDesk, asker: JobAsker, rest: string) => Promise<string>

const acts: Readonly<Record<string, Act>> = {
  list: async (desk, { owner }) => {
    const jobs = await desk.list({ owner })
    if (jobs.length === 0) return 'There are no jobs. /cron add daily at 9:00 What is new? makes one.'
    const runs = await desk.history(200, { owner })
    return jobs.map((job) => formatJob(job, lastOf(job, runs))).join('\n')
  },
  add: async (desk, asker, rest) => {
    const { schedule, prompt } = await splitSchedule(rest)
    const { job, isNew } = await desk.create({ schedule, prompt }, makerOf(asker))
    return `${isNew ? 'The job is kept' : 'There was such a job; it is changed'}:\n${formatJob(job, undefined)}`
  },
  edit: async (desk, asker, rest) => {
    const [job = '', ...words] = rest.split(/\s+/)
    const { schedule, prompt } = await splitSchedule(words.join(' '))
    const said = { schedule, ...(prompt === '' ? {} : { prompt }) }
    return `The job is changed:\n${formatJob(await desk.edit(job, said, asker), undefined)}`
  },
  pause: async (desk, asker, rest) => `The job is paused:\n${formatJob(await desk.pause(rest, asker), undefined)}`,
  resume: async (desk, asker, rest) => `The job goes on:\n${formatJob(await desk.resume(rest, asker), undefined)}`,
  run: async (desk, asker, rest) => `The job ${(await desk.run(rest, asker)).name} is run once, as soon as the gateway can.`,
  remove: async (desk, asker, rest) => `The job ${(await desk.remove(rest, asker)).name} is removed.`,
  history: async (desk, { owner }, rest) => {
    const runs = await desk.history(10, { owner, job: rest === '' ? undefined : rest })
    const names = new Map((await desk.list({ owner })).map((job) => [job.id, job]))
    return runs.map((run) => formatRun(run, names.get(run.job))).join('\n') || 'Nothing was run yet.'
  },
}

const otherNames: Readonly<Record<string, string>> = { create: 'add', delete: 'remove', runs: 'history', '': 'list' }

/** What `/cron` answers. */
export async function answerJobs(desk: JobDesk, asker: JobAsker, args: string): Promise<string> {
  const [word = '', ...rest] = args.trim().split(/\s+/)
  const name = word.toLowerCase()
  const act = acts[otherNames[name] ?? name]
  if (!act) throw fail('USAGE', { problem: `There is no "${word}" among ${Object.keys(acts).join(', ')}.`, try: '/cron list' })
  if (['edit', 'pause', 'resume', 'run', 'remove'].includes(otherNames[name] ?? name) && rest.length === 0)
    throw fail('USAGE', { problem: 'Say which job is meant, by its id or name.', try: '/cron list' })
  return await act(desk, asker, rest.join(' '))
}

/** Where a job of this asker is made. */
export function makerOf({ owner, isStranger, door, origin, people }: JobAsker) {
  return { owner, isStranger, people, ...(door === undefined ? {} : { door }), ...(origin === undefined ? {} : { origin }) }
}

const lastOf = ({ id }: CronJob, runs: readonly JobRun[]): JobRun | undefined => runs.find(({ job }) => job === id)
