import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type AgentError, detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'

/** SQLite's own code of an error, or an empty text. */
export function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_') ? error.code : ''
}

/** True for what is wrong with the file itself; a lock or a missing right is not. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error))
}

/** True for what passes when somebody makes room, lets go of a lock or mends the disk. */
export function isTransient(error: unknown): error is AgentError {
  return isAgentError(error, 'STORE_FULL') || isAgentError(error, 'STORE_BUSY')
}

/** The coded error for a failure of SQLite; coded errors pass. */
export function toStoreError(error: unknown, file: string): AgentError {
  if (isAgentError(error)) return error
  const code = sqliteCode(error)
  const detail = detailOf(error)
  if (code === 'SQLITE_FULL' || (/^SQLITE_(IOERR|CANTOPEN)/.test(code) && isDiskFull(file))) {
    return fail('STORE_FULL', { file }, { cause: error, retryAfterMs: 10_000 })
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return fail('STORE_BUSY', { file }, { cause: error, retryAfterMs: 1_000 })
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code)) return fail('HOME_UNUSABLE', { path: file, reason: detail }, { cause: error })
  return fail('INTERNAL', { detail: `${file}: ${detail}` }, { cause: error })
}

function isDiskFull(file: string): boolean {
  try {
    return statfsSync(dirname(file)).bavail === 0
  } catch {
    // A folder that cannot be asked is not known to be full; the error at hand says more.
    return false
  }
}
