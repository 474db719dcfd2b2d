import { sql } from 'kysely'
import type { RunDelivery } from '../../jobs.ts'
import type { JobTable } from '../engine/job-tables.ts'
import { literal, type Queries } from '../engine/statement.ts'

type None = Record<never, never>
type JobRow = JobTable & Record<string, string | number | null>

/** The statements about jobs. */
export function prepareJobs(queries: Queries) {
  return {
    add: queries.prepare((tables, args: JobRow) =>
      tables.insertInto('jobs').values({
        ...{ id: args.id, name: args.name, owner: args.owner, schedule: args.schedule, zone: args.zone, body: args.body },
        ...{ state: args.state, next_at: args.next_at, completed: args.completed, anchor_at: args.anchor_at, created_at: args.created_at },
      }),
    ),
    same: queries.prepare((tables, args: { name: string; owner: string; schedule: string; zone: string }) =>
      tables
        .selectFrom('jobs')
        .selectAll()
        .where('name', '=', args.name)
        .where('owner', '=', args.owner)
        .where('schedule', '=', args.schedule)
        .where('zone', '=', args.zone)
        .where('state', '!=', literal('done')),
    ),
    set: queries.prepare((tables, args: JobRow) =>
      tables
        .updateTable('jobs')
        .set({
          ...{ name: args.name, owner: args.owner, schedule: args.schedule, zone: args.zone, body: args.body, state: args.state },
          ...{ next_at: args.next_at, completed: args.completed, anchor_at: args.anchor_at },
        })
        .where('id', '=', args.id),
    ),
    find: queries.prepare((tables, args: { id: string }) => tables.selectFrom('jobs').selectAll().where('id', '=', args.id)),
    list: queries.prepare((tables, _args: None) => tables.selectFrom('jobs').selectAll().orderBy('name').orderBy('id')),
    remove: queries.prepare((tables, args: { id: string }) => tables.deleteFrom('jobs').where('id', '=', args.id)),
    next: queries.prepare((tables, _args: None) =>
      tables.selectFrom('jobs').select(sql<number | null>`min(next_at)`.as('at')).where('next_at', 'is not', null),
    ),
    due: queries.prepare((tables, args: { now: number; most: number }) =>
      tables.selectFrom('jobs').selectAll().where('next_at', '<=', args.now).orderBy('next_at').limit(args.most),
    ),
    /** Takes a due time; nothing where it is not the job's any more. */
    advance: queries.prepare((tables, args: { id: string; due: number; next: number | null; state: string; ran: number }) =>
      tables
        .updateTable('jobs')
        .set({ next_at: args.next, state: args.state as 'scheduled', completed: sql<number>`completed + ${args.ran}` })
        .where('id', '=', args.id)
        .where('next_at', '=', args.due)
        .returningAll(),
    ),
  }
}

type Held = { seq: number; owner: string; attempts: number }

/** Only who holds this very attempt may change the row. */
const isHeld = (args: Held) =>
  sql<boolean>`seq = ${args.seq} AND state = 'running' AND owner = ${args.owner} AND attempts = ${args.attempts}`

type NewRun = {
  job: string
  due_at: number
  cause: string
  collapsed: number
  state: string
  attempts: number
  owner: string | null
  retry_at: number | null
  started_at: number | null
  ended_at: number | null
  delivery: string
}

/** The statements about runs. */
export function prepareRuns(queries: Queries) {
  return { ...prepareRunStarts(queries), ...prepareRunEnds(queries), ...prepareRunLists(queries) }
}

const noticeOnce = sql<RunDelivery>`CASE WHEN EXISTS (SELECT 1 FROM job_runs AS told WHERE told.job = job_runs.job AND told.state = 'failed' AND told.delivery <> 'none' AND json_extract(told.error, '$.code') = json_extract(job_runs.error, '$.code') AND told.seq > coalesce((SELECT max(seq) FROM job_runs AS well WHERE well.job = job_runs.job AND well.state = 'ok'), 0)) THEN 'none' ELSE 'pending' END`

function prepareRunStarts(queries: Queries) {
  return {
    add: queries.prepare((tables, args: NewRun) =>
      tables
        .insertInto('job_runs')
        .values({
          ...{ job: args.job, due_at: args.due_at, cause: args.cause as 'due', collapsed: args.collapsed, state: args.state as 'ok' },
          ...{ attempts: args.attempts, owner: args.owner, retry_at: args.retry_at, started_at: args.started_at },
          ...{ ended_at: args.ended_at, session: null, output: '', error: null, delivery: args.delivery as 'none', delivery_error: null },
        })
        .onConflict((conflict) => conflict.columns(['job', 'cause', 'due_at']).doNothing())
        .returningAll(),
    ),
    take: queries.prepare((tables, args: { owner: string; now: number }) =>
      tables
        .updateTable('job_runs')
        .set({
          ...{ state: literal('running'), owner: args.owner, retry_at: null, started_at: args.now },
          attempts: sql<number>`attempts + 1`,
        })
        .where(
          sql<boolean>`seq = (SELECT seq FROM job_runs AS one WHERE state = 'waiting' AND retry_at <= ${args.now} AND NOT EXISTS (SELECT 1 FROM job_runs AS other WHERE other.job = one.job AND other.state = 'running') ORDER BY retry_at LIMIT 1)`,
        )
        .returningAll(),
    ),
    /** A new due time takes the place of an attempt that waits. That is told, unless it failed so and was told since a run was ok. */
    overtake: queries.prepare((tables, args: { job: string; now: number }) =>
      tables
        .updateTable('job_runs')
        .set({ state: literal('failed'), retry_at: null, ended_at: args.now, delivery: noticeOnce })
        .where(sql<boolean>`job = ${args.job} AND state = 'waiting' AND cause = 'due'`)
        .returning('delivery'),
    ),
  }
}

function prepareRunEnds(queries: Queries) {
  return {
    end: queries.prepare(
      (tables, args: Held & { to: string; now: number; session: string | null; output: string; error: string | null; delivery: string }) =>
        tables
          .updateTable('job_runs')
          .set({
            ...{ state: args.to as 'ok', owner: null, ended_at: args.now, session: args.session, output: args.output },
            ...{ error: args.error, delivery: args.delivery as 'none' },
          })
          .where(isHeld(args)),
    ),
    postpone: queries.prepare((tables, args: Held & { until: number; error: string }) =>
      tables
        .updateTable('job_runs')
        .set({ state: literal('waiting'), owner: null, retry_at: args.until, error: args.error })
        .where(isHeld(args)),
    ),
    lose: queries.prepare((tables, args: { seq: number; now: number }) =>
      tables
        .updateTable('job_runs')
        .set({ state: literal('lost'), owner: null, ended_at: args.now, delivery: literal('pending') })
        .where('seq', '=', args.seq)
        .returningAll(),
    ),
    deliver: queries.prepare((tables, args: { seq: number; delivery: string; error: string | null }) =>
      tables
        .updateTable('job_runs')
        .set({ delivery: args.delivery as 'none', delivery_error: args.error })
        .where('seq', '=', args.seq),
    ),
    removeOf: queries.prepare((tables, args: { job: string }) => tables.deleteFrom('job_runs').where('job', '=', args.job)),
    forget: queries.prepare((tables, args: { job: string; keep: number }) =>
      tables
        .deleteFrom('job_runs')
        .where(
          sql<boolean>`job = ${args.job} AND seq <= (SELECT seq FROM job_runs WHERE job = ${args.job} ORDER BY seq DESC LIMIT 1 OFFSET ${args.keep}) AND state NOT IN ('waiting', 'running') AND delivery <> 'pending'`,
        ),
    ),
  }
}

function prepareRunLists(queries: Queries) {
  const open = sql<boolean>`delivery IN ('pending', 'queued')`
  return {
    asked: queries.prepare((tables, args: { job: string }) =>
      tables.selectFrom('job_runs').selectAll().where(sql<boolean>`job = ${args.job} AND state = 'waiting' AND cause = 'asked'`),
    ),
    isRunning: queries.prepare((tables, args: { job: string }) =>
      tables.selectFrom('job_runs').select('seq').where(sql<boolean>`job = ${args.job} AND state = 'running'`),
    ),
    running: queries.prepare((tables, _args: None) =>
      tables.selectFrom('job_runs').select(['seq', 'owner']).where(sql<boolean>`state = 'running'`),
    ),
    nextWaiting: queries.prepare((tables, _args: None) =>
      tables
        .selectFrom('job_runs as one')
        .select(sql<number | null>`min(retry_at)`.as('at'))
        .where(
          sql<boolean>`one.state = 'waiting' AND NOT EXISTS (SELECT 1 FROM job_runs AS other WHERE other.job = one.job AND other.state = 'running')`,
        ),
    ),
    /** `states` is JSON. */
    undelivered: queries.prepare((tables, args: { states: string; most: number }) =>
      tables
        .selectFrom('job_runs')
        .selectAll()
        .where(open)
        .where(sql<boolean>`delivery IN (SELECT value FROM json_each(${args.states}))`)
        .orderBy('seq')
        .limit(args.most),
    ),
    history: queries.prepare((tables, args: { most: number }) =>
      tables.selectFrom('job_runs').selectAll().where('seq', '>', literal(0)).orderBy('seq', 'desc').limit(args.most),
    ),
    historyOfOwner: queries.prepare((tables, args: { owner: string; most: number }) =>
      tables
        .selectFrom('job_runs')
        .selectAll()
        .where('seq', '>', literal(0))
        .where(sql<boolean>`EXISTS (SELECT 1 FROM jobs WHERE jobs.id = job_runs.job AND jobs.owner = ${args.owner})`)
        .orderBy('seq', 'desc')
        .limit(args.most),
    ),
    newest: queries.prepare((tables, _args: None) =>
      tables.selectFrom('job_runs').selectAll().where(sql<boolean>`seq IN (SELECT max(seq) FROM job_runs GROUP BY job)`),
    ),
    historyOf: queries.prepare((tables, args: { job: string; most: number }) =>
      tables.selectFrom('job_runs').selectAll().where('job', '=', args.job).orderBy('seq', 'desc').limit(args.most),
    ),
  }
}
