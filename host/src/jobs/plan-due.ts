import type { CronJob, DueTime } from '#store/jobs.ts'
import { passedTimes } from './due-times.ts'
import { readSchedule } from './make-spec.ts'

/** What is to be done about a job that is due, in order. */
export interface DueStep {
  readonly type: 'miss' | 'claim'
  readonly due: DueTime
}

/**
 * Every due time that is over is part of exactly one step. On time is what is not later than the grace of its schedule. Of what is later, `run` makes
 * one run; `skip` and `tell` make a note, and run only a last one that is on time.
 */
export function planDue(job: CronJob, now: number): readonly DueStep[] {
  const dueAt = job.nextAt
  if (dueAt === null || dueAt > now) return []
  const { lastAt, nextAt, collapsed, graceMs } = passedTimes(readSchedule(job, now), dueAt, now, job)
  const isOnTime = now - lastAt <= graceMs
  const whole = { dueAt, nextAt, collapsed }
  if (job.missed === 'run' || (isOnTime && collapsed === 0)) return [{ type: 'claim', due: whole }]
  if (!isOnTime) return [{ type: 'miss', due: whole }]
  return [
    { type: 'miss', due: { dueAt, nextAt: lastAt, collapsed: collapsed - 1 } },
    { type: 'claim', due: { dueAt: lastAt, nextAt, collapsed: 0 } },
  ]
}
