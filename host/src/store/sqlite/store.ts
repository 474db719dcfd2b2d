import { detailOf } from '@agent/plugin-sdk/errors'
import { createSteadyClock } from '#kernel/clock.ts'
import type { Store, StoreOptions } from '../store.ts'
import { connect, connectReader } from './engine/connect.ts'
import { createGroupCommit } from './engine/group-commit.ts'
import { openQueries, type Queries } from './engine/statement.ts'
import { toStoreError } from './engine/storage-error.ts'
import { createJobs } from './jobs/jobs.ts'
import { createJournal } from './journal/journal.ts'
import { createKv } from './kv.ts'
import { createLeases } from './leases.ts'
import { createPast } from './sessions/past.ts'
import { createSessions } from './sessions/sessions.ts'
import { createTextIndex } from './sessions/text-index.ts'
import { createTurnWriter } from './sessions/turn-writer.ts'
import { createUsage } from './usage.ts'

/** The store in one SQLite file, shared by every process of a home. */
export async function openSqliteStore(options: StoreOptions): Promise<Store> {
  const { file, clock, log } = options
  const database = await connect(options)
  const queries = openQueries(database)
  const commits = createGroupCommit(database, file)
  const now = (): number => clock.now()
  const { now: steadyNow } = createSteadyClock(clock)
  const writeTurn = createTurnWriter(queries)
  const index = createTextIndex(queries, commits, (error) => {
    log.warn('New messages cannot be searched yet.', { error: detailOf(error) })
  })
  const { leases, liveOwners } = createLeases(queries, commits, now)
  let reading: Queries | undefined
  const reader = (): Queries => {
    reading ??= openQueries(connectReader(options))
    return reading
  }
  return {
    journal: createJournal({ queries, commits, writeTurn, index, now, steadyNow, log, storeId: readStoreId(queries), liveOwners }),
    sessions: createSessions({ queries, reader, commits, writeTurn, index, now }),
    past: createPast(reader, index),
    kv: createKv(queries, commits),
    leases,
    usage: createUsage(queries, commits, now),
    jobs: createJobs({ queries, commits, now, log, liveOwners }),
    isWrittenElsewhere: createVersionCheck(database),
    async close() {
      commits.close()
      reading?.database.close()
      try {
        database.close()
      } catch (error) {
        throw toStoreError(error, file)
      }
    },
  }
}

/** SQLite counts what other connections commit. */
function createVersionCheck(database: Queries['database']): () => boolean {
  const version = database.prepare('PRAGMA data_version').pluck()
  const read = (): unknown => version.get()
  let before = read()
  return () => {
    const now = read()
    const isOther = now !== before
    before = now
    return isOther
  }
}

function readStoreId(queries: Queries): string {
  const row = queries.prepare((tables, args: { key: string }) => tables.selectFrom('meta').select('value').where('key', '=', args.key))
  return row.get({ key: 'store' })?.value ?? ''
}
