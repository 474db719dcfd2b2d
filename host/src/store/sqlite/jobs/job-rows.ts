import type { WireError } from '@agent/plugin-sdk'
import type { CronJob, JobRun, JobSpec } from '../../jobs.ts'
import type { JobRunTable, JobTable } from '../engine/job-tables.ts'

/** A row of a run as it is read. */
export type RunRow = Omit<JobRunTable, 'seq'> & { readonly seq: number }

/** The columns of a job. */
export function toJobRow({
  id,
  state,
  nextAt,
  completed,
  anchorAt,
  createdAt,
  ...spec
}: CronJob): JobTable & Record<string, string | number | null> {
  const { name, owner, schedule, zone, ...body } = spec satisfies JobSpec
  return {
    ...{ id, name, owner, schedule, zone, state, completed },
    body: JSON.stringify(body),
    ...{ next_at: state === 'scheduled' ? nextAt : null, anchor_at: anchorAt, created_at: createdAt },
  }
}

export function toJob({ body, next_at: nextAt, anchor_at: anchorAt, created_at: createdAt, ...row }: JobTable): CronJob {
  const rest = JSON.parse(body) as Omit<JobSpec, 'name' | 'owner' | 'schedule' | 'zone'>
  return { ...rest, ...row, nextAt, anchorAt, createdAt }
}

export function toRun(row: RunRow): JobRun {
  return {
    ...{ seq: row.seq, job: row.job, dueAt: row.due_at, cause: row.cause, collapsed: row.collapsed, state: row.state },
    ...{ attempts: row.attempts, owner: row.owner, retryAt: row.retry_at, startedAt: row.started_at, endedAt: row.ended_at },
    ...{ session: row.session, output: row.output, error: parseError(row.error) },
    ...{ delivery: row.delivery, deliveryError: parseError(row.delivery_error) },
  }
}

function parseError(text: string | null): WireError | null {
  return text === null ? null : (JSON.parse(text) as WireError)
}
