import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { ensureFolder } from './home.ts'

/** Replaces a file as a whole, readable by its owner only; a reader sees the old text or the new one, never half. */
export function writeFileAtomic(path: string, text: string): void {
  ensureFolder(dirname(path))
  const target = linkTarget(path)
  const temporary = `${target}.${process.pid}.tmp`
  try {
    const file = openSync(temporary, 'w', 0o600)
    try {
      writeSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw fail('STORE_FULL', { file: path }, { cause: error })
    throw fail('HOME_UNUSABLE', { path, reason: detailOf(error) }, { cause: error })
  }
}

// A linked file (people keep their settings in a repository) stays a link.
function linkTarget(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path
    throw error
  }
}
