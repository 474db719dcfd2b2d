import type { Log } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { CronJob, Jobs, RunClaim } from '#store/jobs.ts'

export interface ClaimDueOptions {
  readonly jobs: Jobs
  /** Boot id of this gateway. */
  readonly owner: string
  /** There is something to tell of a time that was missed, or of an attempt that waited for too long. */
  readonly onTell: () => void
  /** Why a job may not be run any more. */
  readonly refusalOf: (job: CronJob) => string | undefined
  readonly now: () => number
  readonly log: Log
}

/** So many are looked at in one go. */
const mostLooked = 10

/** Takes the next run that is due; null where there is none. What was missed is settled on the way by the rule of its job. */
export async function claimDue(options: ClaimDueOptions): Promise<RunClaim | null> {
  const { jobs, owner, now } = options
  const due = await jobs.due(now(), mostLooked)
  for (const job of due) {
    const claim = await settle(options, job)
    if (claim) return claim
  }
  // Others than those that were looked at may be due.
  if (due.length === mostLooked) return claimDue(options)
  return jobs.claimWaiting(owner, now())
}

/** Pauses a job that may not be run any more. The owner finds the reason in the list; those whom it concerns hear nothing. */
export async function holdBack(jobs: Pick<Jobs, 'change'>, { id }: CronJob, pausedWhy: string): Promise<void> {
  await jobs.change(id, (found) => ({ ...found, ...(found.state === 'done' ? {} : { state: 'paused', nextAt: null }), pausedWhy }))
}

async function settle({ jobs, owner, onTell, refusalOf, now, log }: ClaimDueOptions, job: CronJob): Promise<RunClaim | null> {
  const refusal = refusalOf(job)
  if (refusal !== undefined) {
    await holdBack(jobs, job, refusal)
    return null
  }
  // Only who has jobs loads what reads their schedules.
  const { planDue } = await import('#jobs/plan-due.ts')
  try {
    for (const step of planDue(job, now())) {
      if (step.type === 'claim') {
        const claim = await jobs.claim(job.id, step.due, owner)
        if (claim?.tells) onTell()
        return claim
      }
      const tell = job.missed === 'tell'
      await jobs.miss(job.id, step.due, { tell })
      if (tell) onTell()
    }
  } catch (error) {
    log.error('a job cannot be planned and is paused', { job: job.id, name: job.name, problem: detailOf(error) })
    await jobs.change(job.id, (found) => ({ ...found, state: 'paused', nextAt: null }))
  }
  return null
}
