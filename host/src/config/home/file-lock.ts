import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { fileReason } from '#kernel/read-text.ts'
import { linkTarget } from './atomic-file.ts'
import { ensureFolder } from './home.ts'

const lookEveryMs = 10
const usualLooks = 500
/** A change takes milliseconds: a process that holds a lock for so long has died, even where another has its number now. */
const abandonedAfterMs = 10_000

/**
 * Lets one process at a time read, change and write a file. It waits in place, because a change is made as a whole: for five seconds on the
 * same holder, and for thirty in all where many take turns. Who comes by a link to the file waits for the same lock.
 */
export function withFileLock<T>(path: string, change: () => T, mostLooks = usualLooks): T {
  ensureFolder(dirname(path))
  const lock = `${followLink(path)}.lock`
  let before = ''
  for (let looks = 0, all = 0; !take(lock); looks++, all++) {
    const holder = readHolder(lock)
    if (holder !== before) looks = 0
    before = holder
    if (looks === mostLooks || all === 6 * mostLooks) throw fail('STORE_BUSY', { file: path })
    if (isAbandoned(lock)) setAside(lock)
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookEveryMs)
  }
  try {
    return change()
  } finally {
    rmSync(lock, { force: true })
  }
}

/** What cannot be followed is told by the change itself. */
function followLink(path: string): string {
  try {
    return linkTarget(path)
  } catch {
    return path
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw fail('STORE_FULL', { file: lock }, { cause: error })
    throw fail('HOME_UNUSABLE', { path: lock, reason: fileReason(error) }, { cause: error })
  }
}

function isAbandoned(lock: string): boolean {
  const about = statSync(lock, { throwIfNoEntry: false })
  return about !== undefined && (Date.now() - about.mtimeMs > abandonedAfterMs || isDead(lock))
}

/** Empty where it is gone, or not written yet. */
function readHolder(lock: string): string {
  try {
    return readFileSync(lock, 'utf8')
  } catch {
    return ''
  }
}

function isDead(lock: string): boolean {
  try {
    const holder = Number(readHolder(lock))
    // Its number is written a moment after the file is there.
    if (holder > 0) process.kill(holder, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Only one process succeeds in moving it. */
function setAside(lock: string): void {
  const aside = `${lock}.${process.pid}`
  try {
    renameSync(lock, aside)
    rmSync(aside, { recursive: true, force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw fail('HOME_UNUSABLE', { path: lock, reason: fileReason(error) }, { cause: error })
  }
}
