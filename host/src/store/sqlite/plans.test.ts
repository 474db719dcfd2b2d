import type { Database } from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createTemporaryStore } from '../testing/temporary-store.ts'
import { connect } from './engine/connect.ts'
import { openQueries } from './engine/statement.ts'
import { prepareJobs, prepareRuns } from './jobs/job-statements.ts'
import { prepareInbox } from './journal/inbox.ts'
import { prepareOutbox } from './journal/outbox.ts'

interface Planned {
  readonly text: string
}

function planOf(database: Database, { text }: Planned): string {
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...Array.from({ length: text.split('?').length - 1 }, () => null))
  return (rows as { detail: string }[]).map((row) => row.detail).join('\n')
}

const wanted: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  inbox: {
    accept: /inbox_open/,
    claim: /inbox_ready/,
    claimOnPlatform: /inbox_ready/,
    claimInConversation: /USING INDEX inbox_open \(platform=\? AND account=\? AND conversation=\?\)/,
    claimed: /inbox_open/,
    waiting: /USING INDEX inbox_open \(platform=\? AND account=\? AND conversation=\?\)/,
    settleAbsorbed: /inbox_absorbed/,
    releaseAbsorbed: /inbox_absorbed/,
    hasHead: /inbox_open/,
    promote: /SEARCH inbox USING INDEX inbox_open \(platform=\? AND account=\? AND conversation=\?\)/,
    failed: /inbox_failed/,
    pending: /inbox_open/,
    prune: /inbox_settled/,
  },
  outbox: {
    add: /outbox_open/,
    isWaiting: /outbox_open/,
    byKeys: /SEARCH outbox USING INDEX sqlite_autoindex_outbox_1 \(key>\? AND key<\?\)/,
    claim: /outbox_ready/,
    claimOnPlatform: /outbox_ready/,
    claimInConversation: /USING INDEX outbox_open \(platform=\? AND account=\? AND conversation=\?\)/,
    sending: /outbox_open/,
    promote: /SEARCH outbox USING INDEX outbox_open \(platform=\? AND account=\? AND conversation=\?\)/,
    resend: /outbox_open/,
    hasten: /outbox_ready/,
    nextAt: /outbox_ready/,
    pending: /outbox_open/,
    unknown: /outbox_unknown/,
    failed: /outbox_failed/,
    prune: /outbox_settled/,
  },
  jobs: { same: /jobs_name/, next: /jobs_due/, due: /jobs_due/ },
  job_runs: {
    take: /job_runs_waiting[\s\S]*job_runs_running/,
    overtake: /SEARCH job_runs USING/,
    isRunning: /job_runs_running/,
    running: /job_runs_running/,
    nextWaiting: /job_runs_waiting[\s\S]*job_runs_running/,
    undelivered: /job_runs_undelivered/,
    historyOf: /job_runs_newest/,
  },
}

test('every statement of the journal and of jobs uses the index that was made for it and reads no table from end to end', async () => {
  await using temporary = await createTemporaryStore()
  await (await temporary.open()).close()
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const database = await connect({ file: temporary.file, durability: 'full', clock: temporary.clock, log: silent })
  try {
    const queries = openQueries(database)
    const sets = {
      inbox: prepareInbox(queries),
      outbox: prepareOutbox(queries),
      jobs: prepareJobs(queries),
      job_runs: prepareRuns(queries),
    }
    for (const [table, statements] of Object.entries(sets)) {
      for (const [name, statement] of Object.entries(statements)) {
        const plan = planOf(database, statement)
        expect(plan, `${table}.${name}`).not.toMatch(/TEMP B-TREE/)
        expect(plan, `${table}.${name}`).not.toMatch(/SCAN (inbox|outbox|steps|jobs|job_runs)(?! USING)/)
        expect(plan, `${table}.${name}`).toMatch(wanted[table]?.[name] ?? /(?:)/)
      }
    }
    const bound = { text: 'SELECT seq FROM inbox WHERE state IN (?, ?) AND platform = ? AND account = ? AND conversation = ?' }
    expect(planOf(database, bound)).not.toMatch(/inbox_open/)
  } finally {
    database.close()
  }
})
