import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '@agent/plugin-sdk'

const lookEveryMs = 25

export interface LockOptions {
  readonly clock: Clock
  /** Ends the wait. */
  readonly signal: AbortSignal
}

/** Lets one process at a time do work that takes long, and waits without blocking. A holder that is dead holds nothing. */
export async function withLock<T>(path: string, { clock, signal }: LockOptions, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  while (!take(path)) {
    const holder = holderOf(path)
    if (holder !== undefined && isDead(holder)) setAside(path, holder)
    else await clock.sleep(lookEveryMs, signal)
  }
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

/** The number stands in the file as soon as the file is there. */
function take(path: string): boolean {
  const mine = `${path}.${process.pid}.mine`
  try {
    writeFileSync(mine, String(process.pid), { mode: 0o600 })
    linkSync(mine, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(mine, { force: true })
  }
}

function holderOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export function isDead(holder: string): boolean {
  try {
    process.kill(Number(holder), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Two may find it abandoned: the one that moved a lock which a third has taken meanwhile gives it back. */
function setAside(path: string, holder: string): void {
  const aside = `${path}.${process.pid}.aside`
  try {
    renameSync(path, aside)
    if (readFileSync(aside, 'utf8') !== holder) linkSync(aside, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}
