import { fail } from '@agent/plugin-sdk/errors'
import type { Database } from 'better-sqlite3'
import { sqliteCode, toStoreError } from './storage-error.ts'

/** The only way to write: jobs of one turn of the event loop share one transaction and one flush to the disk. */
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

export function createGroupCommit(database: Database, file: string): GroupCommit {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  let waiting: Entry[] = []
  let closed = false

  const transact = (entries: readonly Entry[]): readonly unknown[] => {
    begin.run()
    try {
      const results = entries.map((entry) => entry.job())
      commit.run()
      return results
    } catch (error) {
      if (database.inTransaction) rollback.run()
      throw error
    }
  }

  const settle = (entries: readonly Entry[]): void => {
    try {
      const results = transact(entries)
      entries.forEach((entry, index) => {
        entry.resolve(results[index] as never)
      })
    } catch (error) {
      // A lock would be waited for again by each of them, with the event loop standing still.
      if (entries.length > 1 && !/^SQLITE_BUSY/.test(sqliteCode(error))) {
        for (const entry of entries) settle([entry])
        return
      }
      for (const entry of entries) entry.reject(toStoreError(error, file))
    }
  }

  const flush = (): void => {
    const entries = waiting
    waiting = []
    if (entries.length > 0) settle(entries)
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
      flush()
    },
  }
}
