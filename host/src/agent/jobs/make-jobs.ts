import type { Log, ToolCall } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Loaded } from '#config/file/loaded.ts'
import type { Blueprint } from '#jobs/blueprints/blueprint.ts'
import type { JobDesk } from '#jobs/job-desk.ts'
import type { CronWish } from '#jobs/make-spec.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { HostSkills } from '#skills/open-skills.ts'
import type { CronJob } from '#store/jobs.ts'
import type { Store } from '#store/store.ts'
import { profileOwner } from '#tools/memory/owner.ts'
import type { ToolTurn } from '#tools/tool-turn.ts'
import { refuseMaker } from './job-rights.ts'

/** Opens the desk of jobs when it is first needed: who has no job loads nothing that reads schedules. */
export interface LazyJobs {
  desk(): Promise<JobDesk>
  /** Templates for jobs: those that come with the program, and those of skills. */
  blueprints(): Promise<readonly Blueprint[]>
}

type ToolJobs = NonNullable<ToolCall['jobs']>
type JobView = Awaited<ReturnType<ToolJobs['create']>>

interface JobParts {
  readonly store: Pick<Store, 'jobs' | 'journal'>
  readonly loaded: Loaded
  readonly catalog: Catalog
  readonly skills: Pick<HostSkills, 'known' | 'index'>
  readonly clock: { now(): number }
  readonly log: Pick<Log, 'warn'>
}

export function makeJobs({ store, loaded, catalog, skills, clock, log }: JobParts): LazyJobs {
  const knows = {
    platform: (id: string) => catalog.find('platform', id)?.spec.door === 'messaging',
    skill: (name: string) => skills.known().some((known) => known.name === name),
    toolset: (id: string) => catalog.find('toolset', id) !== undefined,
  }
  return {
    desk: async () => {
      const { createJobDesk } = await import('#jobs/job-desk.ts')
      return createJobDesk({
        ...{ jobs: store.jobs, now: () => clock.now(), posted: store.journal.posted },
        zone: () => loaded.config.cron.timezone || Intl.DateTimeFormat().resolvedOptions().timeZone,
        catchesUp: () => loaded.config.cron.catch_up_missed,
        knows: (kind, name) => knows[kind](name),
      })
    },
    blueprints: async () => {
      const { catalogOf } = await import('#jobs/blueprints/blueprints.ts')
      const { blueprints, broken } = catalogOf((await skills.index()).skills)
      for (const problem of broken) log.warn(problem)
      return blueprints
    },
  }
}

/** What a call of a tool may do with jobs: those of the owner of its turn. */
export function jobsForTools(jobs: LazyJobs): (turn: ToolTurn) => ToolJobs {
  return (turn) => jobsOf(jobs, turn)
}

function jobsOf({ desk }: LazyJobs, turn: ToolTurn): ToolJobs {
  const { owner, door, sessionKey } = turn
  const { may, ...hands } = turn.jobRights?.() ?? { may: true, door }
  const scope = { owner, isStranger: owner !== profileOwner, ...hands }
  const maker = { ...scope, ...(sessionKey === undefined ? {} : { origin: sessionKey }) }
  const requireRight = (): void => {
    if (!may) throw refuseMaker()
  }
  return {
    create: async (wish) => {
      requireRight()
      await allowPlaces(turn, wish)
      return viewOf((await (await desk()).create(wish, maker)).job)
    },
    list: async () => (await (await desk()).list(scope)).map(viewOf),
    edit: async (reference, wish) => {
      requireRight()
      const jobs = await desk()
      const { id, prompt, deliver } = await jobs.find(reference, scope)
      await allowPlaces(turn, { prompt: wish.prompt ?? prompt, deliver: wish.deliver ?? deliver })
      return viewOf(await jobs.edit(id, wish, scope))
    },
    act: async (job, what) => {
      if (starts.has(what)) requireRight()
      return viewOf(await (await desk())[what](job, scope))
    },
  }
}

/** Lets the person decide where a job is to write to others than them, at every run and without being asked again. */
async function allowPlaces({ owner, canAnswer, approve }: ToolTurn, { prompt = '', deliver = '' }: CronWish): Promise<void> {
  const places = deliver.split(',').map((place) => place.trim())
  const others = places.filter((place) => !['', 'origin', 'local'].includes(place.toLowerCase())).join(', ')
  // Who is not the owner may not at all, and is told so.
  if (others === '' || owner !== profileOwner) return
  const refuse = (why: string): Error => fail('JOB_INVALID', { field: 'deliver', problem: `names ${others.slice(0, 100)}, and ${why}` })
  if (!canAnswer) throw refuse('nobody is here to allow it; origin and local need no leave')
  const reason = 'At each run the job sends its answer there, and asks no more.'
  const choice = await approve({ tool: 'cronjob', subject: `to ${others}: ${prompt.slice(0, 300)}`, reason, choices: ['once', 'deny'] })
  if (choice !== 'once') throw refuse('that was not allowed')
}

/** What lets a job run; who may not make one may still stop one. */
const starts: ReadonlySet<string> = new Set(['resume', 'run'])

/** A job as plugins see it. */
export function viewOf({ id, name, prompt, schedule, zone, state, nextAt, skills, deliver }: CronJob): JobView {
  return { id, name, prompt, schedule, zone, state, nextAt, skills, deliver }
}
