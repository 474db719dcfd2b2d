import { fail } from '@agent/plugin-sdk/errors'
import type { Database } from 'better-sqlite3'
import { sqliteCode, toStoreError } from './storage-error.ts'

/**
 * The only way to write: jobs of one turn of the event loop share one transaction and one flush to the disk. Jobs that take long are committed in
 * several, and everything else has its turn between them.
 */
export interface GroupCommit {
  /** Runs `job` inside a transaction; resolves after its commit. A job is synchronous and may be run a second time. */
  run<T>(job: () => T): Promise<T>
  /** Commits what waits; later jobs are refused. */
  close(): void
}

interface Entry {
  readonly job: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** After so long the jobs that are left wait for the next transaction. */
const sliceMs = 20

export function createGroupCommit(database: Database, file: string, now: () => number = () => performance.now()): GroupCommit {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  let waiting: Entry[] = []
  let closed = false

  /** Results of as many jobs as there was time for, at least one. */
  const transact = (entries: readonly Entry[]): readonly unknown[] => {
    const end = now() + sliceMs
    begin.run()
    try {
      const results: unknown[] = []
      for (const { job } of entries) {
        results.push(job())
        if (now() > end) break
      }
      commit.run()
      return results
    } catch (error) {
      if (database.inTransaction) rollback.run()
      throw error
    }
  }

  /** How many of them are settled, from the first. */
  const settle = (entries: readonly Entry[]): number => {
    try {
      const results = transact(entries)
      for (const [index, result] of results.entries()) entries[index]?.resolve(result as never)
      return results.length
    } catch (error) {
      // A lock would be waited for again by each of them, with the event loop standing still.
      if (entries.length > 1 && !/^SQLITE_BUSY/.test(sqliteCode(error))) {
        for (const entry of entries) settle([entry])
        return entries.length
      }
      for (const entry of entries) entry.reject(toStoreError(error, file))
      return entries.length
    }
  }

  const flush = (): void => {
    const entries = waiting
    waiting = []
    const left = entries.length > 0 ? entries.slice(settle(entries)) : []
    if (left.length === 0) return
    waiting = [...left, ...waiting]
    setImmediate(flush)
  }

  return {
    run<T>(job: () => T): Promise<T> {
      if (closed) return Promise.reject(fail('INTERNAL', { detail: 'the store is closed' }))
      return new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({ job, resolve, reject })
      })
    },
    close(): void {
      closed = true
      while (waiting.length > 0) flush()
    },
  }
}
