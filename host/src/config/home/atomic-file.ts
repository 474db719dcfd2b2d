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
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { fileReason } from '#kernel/read-text.ts'
import { ensureFolder } from './home.ts'

export interface WriteOptions {
  /** Lets an existing file stay as readable as it is; without it only its owner may read it. */
  readonly keepMode?: true
  /** A power cut may leave it empty, because nobody needs it afterwards: the disk is not waited for. */
  readonly mayBeLost?: true
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
      if (!options.mayBeLost) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, target)
  } catch (error) {
    throw giveUp(path, temporary, error)
  }
}

/** The same beside the event loop, for a file that changes often: a disk takes 20 ms and more. The file stays as it is where `isWanted` says no in the end. */
export async function replaceFileLater(path: string, text: string, isWanted: () => boolean): Promise<void> {
  let temporary: string | undefined
  try {
    const target = linkTarget(path)
    temporary = `${target}.${process.pid}.later.tmp`
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    if (isWanted()) renameSync(temporary, target)
    else rmSync(temporary, { force: true })
  } catch (error) {
    throw giveUp(path, temporary, error)
  }
}

function giveUp(path: string, temporary: string | undefined, error: unknown): Error {
  if (temporary !== undefined) rmSync(temporary, { force: true })
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return fail('STORE_FULL', { file: path }, { cause: error })
  return fail('HOME_UNUSABLE', { path, reason: fileReason(error) }, { cause: error })
}

function keepRights(file: number, before: Stats, options: WriteOptions): void {
  // Only root may give a file away; a user who edits the file of another by a shared folder becomes its owner.
  if (process.getuid?.() === 0) fchownSync(file, before.uid, before.gid)
  if (options.keepMode) fchmodSync(file, before.mode & 0o777)
}

/** The file itself, where a link leads to it: a linked file (people keep their settings in a repository) stays a link. */
export function linkTarget(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path
    throw error
  }
}
