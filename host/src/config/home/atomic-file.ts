import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { fileReason } from '#kernel/read-text.ts'
import { ensureFolder } from './home.ts'

export interface WriteOptions {
  /** Lets an existing file stay as readable as it is; without it only its owner may read it. */
  readonly keepMode?: true
}

/** Replaces a file as a whole; a reader sees the old text or the new one, never half. Its owner stays the same where the system allows it. */
export function writeFileAtomic(path: string, text: string, options: WriteOptions = {}): void {
  ensureFolder(dirname(path))
  let temporary: string | undefined
  try {
    const target = linkTarget(path)
    temporary = `${target}.${process.pid}.tmp`
    const before = statSync(target, { throwIfNoEntry: false })
    const file = openSync(temporary, 'w', 0o600)
    try {
      writeFileSync(file, text)
      if (before) keepRights(file, before, options)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, target)
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { force: true })
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw fail('STORE_FULL', { file: path }, { cause: error })
    throw fail('HOME_UNUSABLE', { path, reason: fileReason(error) }, { cause: error })
  }
}

function keepRights(file: number, before: Stats, options: WriteOptions): void {
  // Only root may give a file away; a user who edits the file of another by a shared folder becomes its owner.
  if (process.getuid?.() === 0) fchownSync(file, before.uid, before.gid)
  if (options.keepMode) fchmodSync(file, before.mode & 0o777)
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
