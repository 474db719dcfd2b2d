import { open, rename, rm, stat } from 'node:fs/promises'
import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { codeOf, fileError } from './file-error.ts'

export interface LockOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
}

const lookEveryMs = 10
/** A change takes milliseconds: who holds a lock for so long has died. */
const abandonedAfterMs = 10_000
const mostLooks = 2_000

/** Lets one process at a time do this with a file. */
export async function withLock<T>(path: string, { clock, signal }: LockOptions, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`
  for (let looks = 0; !(await take(lock)); looks++) {
    if (looks === mostLooks) throw fail('STORE_BUSY', { file: path })
    await setAsideAbandoned(lock)
    await clock.sleep(lookEveryMs, signal)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close()
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw fileError(lock, error)
  }
}

/** Only one process succeeds in moving it. */
async function setAsideAbandoned(lock: string): Promise<void> {
  try {
    if (Date.now() - (await stat(lock)).mtimeMs < abandonedAfterMs) return
    const aside = `${lock}.${process.pid}`
    await rename(lock, aside)
    await rm(aside, { force: true })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw fileError(lock, error)
  }
}
