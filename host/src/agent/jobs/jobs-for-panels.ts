import type { Panel } from '@agent/plugin-sdk'
import { fromWireError } from '@agent/plugin-sdk/errors'
import type { JobRun } from '#store/jobs.ts'
import { profileOwner } from '#tools/memory/owner.ts'
import { type LazyJobs, viewOf } from './make-jobs.ts'

type PanelJobs = Parameters<Panel['open']>[0]['jobs']

const mostRuns = 100
const longestText = 2_000

/** The jobs for a page of the dashboard: who sees that is the owner, who sees the jobs of everybody, and makes those of the profile. */
export function jobsForPanels({ desk }: LazyJobs): PanelJobs {
  const owner = { owner: profileOwner }
  return {
    create: async (wish) => viewOf((await (await desk()).create(wish, owner)).job),
    list: async () => (await (await desk()).list({})).map(viewOf),
    edit: async (job, wish) => viewOf(await (await desk()).edit(job, wish, {})),
    act: async (job, what) => viewOf(await (await desk())[what](job, {})),
    due: async (until) => (await (await desk()).coming(until, {})).map(({ at, job: { id, name } }) => ({ at, job: id, name })),
    runs: async ({ job }) => {
      const jobs = await desk()
      const names = new Map((await jobs.list({})).map(({ id, name }) => [id, name]))
      return (await jobs.history(mostRuns, { job })).map((run) => ({
        ...{ at: run.startedAt ?? run.dueAt, job: run.job, name: names.get(run.job) ?? run.job },
        ...{ state: stateOf(run), text: textOf(run).slice(0, longestText) },
      }))
    },
  }
}

const stateOf = ({ state, delivery }: JobRun): string => (delivery === 'none' ? state : `${state}, ${delivery}`)

/** Why it failed says more than what was said until then. */
function textOf({ output, error, deliveryError }: JobRun): string {
  const failure = error ?? deliveryError
  return failure ? fromWireError(failure).message : output
}
