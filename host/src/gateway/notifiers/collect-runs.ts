import { fromWireError } from '@agent/plugin-sdk/errors'
import type { EventRows } from '#agent/notifiers/event-rows.ts'
import type { JobRun, Jobs } from '#store/jobs.ts'
import type { Kv } from '#store/kv.ts'

export interface CollectRunsOptions {
  readonly jobs: Pick<Jobs, 'history' | 'find'>
  readonly kv: Kv
  readonly rows: Pick<EventRows, 'add'>
}

/** How far the history of jobs was read. A type, because only types are kept as plain data. */
type Mark = {
  readonly newest: number
  /** Runs up to there that had not ended. */
  readonly open: readonly number[]
}

// A dot stands in no plugin's id, so no plugin has this space.
const space = 'host.notifiers'
const key = 'runs'
const mostRuns = 1000
const longest = 4000

/** Makes an event of each run that has ended since this was called last. What was over before the first time is no news. */
export async function collectRuns({ jobs, kv, rows }: CollectRunsOptions): Promise<void> {
  const before = (await kv.get(space, key)) as Mark | undefined
  const runs = (await jobs.history(mostRuns)).toReversed()
  const isFresh = ({ seq }: JobRun): boolean => before !== undefined && (seq > before.newest || before.open.includes(seq))
  const ended = runs.filter((run) => isFresh(run) && isOver(run))
  for (const run of ended) await add({ jobs, rows }, run)
  const mark: Mark = { newest: runs.at(-1)?.seq ?? before?.newest ?? 0, open: runs.filter((run) => !isOver(run)).map(({ seq }) => seq) }
  // After what it stands for: a crash in between makes the same events again.
  if (JSON.stringify(mark) !== JSON.stringify(before)) await kv.set(space, key, mark)
}

/** Forgets how far it was read: who listens again later hears what is new then. */
export async function forgetRuns(kv: Kv): Promise<void> {
  if ((await kv.get(space, key)) !== undefined) await kv.delete(space, key)
}

const isOver = ({ state }: JobRun): boolean => state !== 'waiting' && state !== 'running'

async function add({ jobs, rows }: Pick<CollectRunsOptions, 'jobs' | 'rows'>, run: JobRun): Promise<void> {
  const job = await jobs.find(run.job)
  if (!job) return
  const text = run.error ? fromWireError(run.error).message : run.output
  await rows.add({
    ...{ id: `run_${run.seq}`, name: 'job.end', at: run.endedAt ?? run.dueAt },
    data: { job: job.id, name: job.name, state: run.state, text: text.slice(0, longest) },
    ...(job.origin === undefined ? {} : { origin: job.origin }),
  })
}
