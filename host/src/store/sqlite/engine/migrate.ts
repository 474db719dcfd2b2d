import { fail } from '@agent/plugin-sdk/errors'
import type { Database } from 'better-sqlite3'
import { migrations } from './migrations.ts'

/** Marks the file as ours: `agnt`. */
const applicationId = 0x61676e74

/** Brings the file to the newest schema, forward only, and touches every table so that damage shows at once. */
export function migrate(database: Database, file: string, steps: readonly string[] = migrations): void {
  if (versionOf(database) === steps.length && isOurs(database)) {
    probe(database)
    return
  }
  database.exec('BEGIN IMMEDIATE')
  try {
    // Read again: another process may have migrated while this one waited.
    const found = versionOf(database)
    if (!isOurs(database) && !isEmpty(database)) {
      throw fail('HOME_UNUSABLE', { path: file, reason: 'it is the database of another program' })
    }
    if (found > steps.length) throw fail('STORE_TOO_NEW', { file, found, known: steps.length })
    for (const step of steps.slice(found)) database.exec(step)
    database.pragma(`application_id = ${applicationId}`)
    database.pragma(`user_version = ${steps.length}`)
    database.exec('COMMIT')
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function versionOf(database: Database): number {
  return Number(database.pragma('user_version', { simple: true }))
}

function isOurs(database: Database): boolean {
  return database.pragma('application_id', { simple: true }) === applicationId
}

function isEmpty(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
}

function probe(database: Database): void {
  for (const table of ['meta', 'inbox', 'outbox', 'steps', 'texts', 'sessions', 'messages', 'kv', 'leases', 'usage', 'jobs', 'job_runs']) {
    database.prepare(`SELECT * FROM ${table} LIMIT 1`).get()
  }
}
