import type { Generated } from 'kysely'
import type { JobRun, JobState, RunDelivery, RunState } from '../../jobs.ts'

export interface JobTable {
  id: string
  name: string
  owner: string
  schedule: string
  zone: string
  /** JSON of the rest of its specification. */
  body: string
  state: JobState
  /** Null unless it is scheduled. */
  next_at: number | null
  completed: number
  anchor_at: number
  created_at: number
}

export interface JobRunTable {
  seq: Generated<number>
  job: string
  due_at: number
  cause: JobRun['cause']
  collapsed: number
  state: RunState
  attempts: number
  owner: string | null
  retry_at: number | null
  started_at: number | null
  ended_at: number | null
  session: string | null
  output: string
  error: string | null
  delivery: RunDelivery
  delivery_error: string | null
}
