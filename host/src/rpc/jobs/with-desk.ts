import type { LazyJobs } from '#agent/jobs/make-jobs.ts'
import { openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import type { JobDesk } from '#jobs/job-desk.ts'
import { applySafeMode } from '../home/safe-mode.ts'
import type { HomeContext } from '../home-context.ts'

/** Opens the jobs of a home for one command; a gateway that runs meanwhile sees within a second what is changed. */
export async function withDesk<Value>(context: HomeContext, use: (desk: JobDesk) => Promise<Value>): Promise<Value> {
  return withJobs(context, async (jobs) => use(await jobs.desk()))
}

/** The same with the templates for jobs. */
export async function withJobs<Value>(context: HomeContext, use: (jobs: LazyJobs) => Promise<Value>): Promise<Value> {
  const { installRoot, profile, note } = context
  const agent = await openAgent({ installRoot, ...applySafeMode(context), profile, note, ownCommands: ownNames })
  try {
    return await use(agent.jobs)
  } finally {
    await agent.close()
  }
}
