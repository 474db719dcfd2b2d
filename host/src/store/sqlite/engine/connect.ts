import { closeSync, existsSync, openSync, renameSync, statSync } from 'node:fs'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import Database from 'better-sqlite3'
import { fileReason } from '#kernel/read-text.ts'
import type { StoreOptions } from '../../store.ts'
import { migrate } from './migrate.ts'
import { isDamage, sqliteCode, toStoreError } from './storage-error.ts'

const defaultLockWaitMs = 5_000

/** Opens the file for writing, made or migrated; a damaged one is moved aside first. */
export async function connect(options: StoreOptions): Promise<Database.Database> {
  const { file, clock, log, lockWaitMs = defaultLockWaitMs } = options
  const deadline = clock.now() + lockWaitMs
  for (;;) {
    const inode = inodeOf(file)
    try {
      return openFile(options)
    } catch (error) {
      const damaged = isDamage(error)
      // Switching to WAL does not wait for a lock by itself.
      if (clock.now() >= deadline || !(damaged || /^SQLITE_BUSY/.test(sqliteCode(error)))) throw toStoreError(error, file)
      // Another process may have put a sound file here meanwhile; that one is not touched.
      if (damaged && inode !== undefined && inodeOf(file) === inode) {
        const moved = moveAside(file, clock.now())
        log.warn(fail('STORE_CORRUPT', { file, moved }, { cause: error }).message, { code: 'STORE_CORRUPT', file, moved })
      }
      if (!damaged) await clock.sleep(50)
    }
  }
}

/** A second connection that cannot write and waits for nobody: lists and search. */
export function connectReader({ file, nativeBinding, lockWaitMs = defaultLockWaitMs }: StoreOptions): Database.Database {
  return loadDatabase(file, { readonly: true, timeout: lockWaitMs }, nativeBinding)
}

function openFile({ file, durability, nativeBinding, lockWaitMs = defaultLockWaitMs }: StoreOptions): Database.Database {
  createPrivately(file)
  const database = loadDatabase(file, { timeout: lockWaitMs }, nativeBinding)
  try {
    if (database.pragma('journal_mode', { simple: true }) !== 'wal') database.pragma('journal_mode = WAL')
    database.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    database.pragma('journal_size_limit = 67108864')
    // In KiB, SQLite's own default: the 16 MB that the addon asks for would fill up for good, and the system keeps the file in its cache.
    database.pragma('cache_size = -2000')
    migrate(database, file)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function loadDatabase(file: string, options: Database.Options, nativeBinding: string | undefined): Database.Database {
  try {
    return new Database(file, nativeBinding === undefined ? options : { ...options, nativeBinding })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const missing = error instanceof Error && error.message.startsWith('Could not locate the bindings file')
    if (missing || code === 'MODULE_NOT_FOUND' || code === 'ERR_DLOPEN_FAILED') {
      throw fail('NATIVE_MISSING', { module: 'better-sqlite3', path: nativeBinding ?? 'node_modules/better-sqlite3' }, { cause: error })
    }
    throw error
  }
}

function createPrivately(file: string): void {
  const about = statSync(file, { throwIfNoEntry: false })
  if (about && !about.isFile()) throw fail('HOME_UNUSABLE', { path: file, reason: 'it is a folder or a device and no file; move it away' })
  if (about) return
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') throw fail('STORE_FULL', { file }, { cause: error })
    throw fail('HOME_UNUSABLE', { path: file, reason: fileReason(error) }, { cause: error })
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}

function moveAside(file: string, now: number): string {
  const moved = `${file}.damaged-${new Date(now).toISOString().replace(/[:.]/g, '-')}-${process.pid}`
  try {
    for (const suffix of ['-wal', '-shm', '']) {
      if (existsSync(file + suffix)) renameSync(file + suffix, moved + suffix)
    }
  } catch (error) {
    const reason = `it is damaged and cannot be moved aside (${detailOf(error)})`
    throw fail('HOME_UNUSABLE', { path: file, reason }, { cause: error })
  }
  return moved
}
