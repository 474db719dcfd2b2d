import { fromWireError } from '@agent/plugin-sdk/errors'
import type { CronJob, JobRun } from '#store/jobs.ts'

/** A moment as the clock of a zone shows it, `2026-03-01 09:00`. */
export function formatTime(at: number, zone: string): string {
  const shown = {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  } as const
  return new Intl.DateTimeFormat('en-CA', shown).format(at).replace(', ', ' ')
}

/** When a job is due next, or why it is not. */
export function describeNext({ state, nextAt, zone }: CronJob): string {
  return nextAt === null ? state : `${formatTime(nextAt, zone)} ${zone}`
}

/** How the last run ended, and what became of its answer. */
export function describeRun({ state, delivery, error, deliveryError }: JobRun): string {
  const why = error && state !== 'ok' ? `: ${fromWireError(error).message}` : ''
  const sent = delivery === 'none' ? '' : `, answer ${deliveryWords[delivery]}`
  return `${state}${why}${sent}${deliveryError ? `: ${fromWireError(deliveryError).message}` : ''}`
}

const deliveryWords: Readonly<Record<Exclude<JobRun['delivery'], 'none'>, string>> = {
  ...{ local: 'kept here', silent: 'kept, nothing to say', pending: 'not queued yet', queued: 'queued' },
  ...{ sent: 'sent', failed: 'not delivered' },
}

export function formatJob(job: CronJob, last: JobRun | undefined): string {
  const after = last ? `; last ${describeRun(last)}` : ''
  return `- ${job.id} ${job.name}: ${job.schedule}, next ${describeNext(job)}, to ${job.deliver}${after}`
}

export function formatRun(run: JobRun, job: CronJob | undefined): string {
  const { name = run.job, zone = 'UTC' } = job ?? {}
  return `- ${formatTime(run.dueAt, zone)} ${name}: ${describeRun(run)}`
}
