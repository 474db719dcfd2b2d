import { fail } from '../../contract/errors.ts'
import type { JobView, JobWish, ToolJobs } from '../../contract/jobs/jobs.ts'

/** Jobs that nobody runs, for a toolset that keeps some. */
export function createTestJobs(): ToolJobs {
  const jobs = new Map<string, JobView>()
  const find = (job: string): JobView => {
    const found = [...jobs.values()].find(({ id, name }) => id === job || name === job)
    if (!found) throw fail('JOB_NOT_FOUND', { job })
    return found
  }
  const keep = (job: JobView): JobView => {
    jobs.set(job.id, job)
    return job
  }
  return {
    create: async (wish) => keep(viewOf(`job_${jobs.size + 1}`, wish)),
    list: async () => [...jobs.values()],
    edit: async (job, wish) => {
      const said = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined))
      return keep({ ...find(job), ...said })
    },
    act: async (job, what) => {
      const found = find(job)
      if (what === 'remove') jobs.delete(found.id)
      if (what === 'pause') return keep({ ...found, state: 'paused', nextAt: null })
      return what === 'resume' ? keep({ ...found, state: 'scheduled', nextAt: 1_700_000_000_000 }) : found
    },
  }
}

function viewOf(
  id: string,
  { prompt = '', schedule, name = prompt, zone = 'UTC', skills = [], deliver = 'origin', paused }: JobWish,
): JobView {
  if (schedule === undefined) throw fail('JOB_INVALID', { field: 'schedule', problem: 'is missing' })
  const nextAt = paused ? null : 1_700_000_000_000
  return { id, name, prompt, schedule, zone, skills, deliver, nextAt, state: paused ? 'paused' : 'scheduled' }
}
