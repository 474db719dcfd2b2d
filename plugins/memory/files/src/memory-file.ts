import { constants, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { codeOf, fileError } from './file-error.ts'
import { type LockOptions, withLock } from './lock.ts'

/** A file of people may be longer than the limit, but not by so much. */
const mostBytes = 256 * 1024
const mostTries = 20
/** What is written is on disk when the call ends. A child with a limited file system may not call fsync from Node 24.22 on. */
const written = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_SYNC

/** The text of a file; empty where there is none. */
export async function readMemoryFile(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > mostBytes)
      throw fail('FILE_UNREADABLE', { path, problem: `has more than ${mostBytes / 1024} KiB`, fix: 'shorten it, or move it away' })
    return await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw isAgentError(error) ? error : fileError(path, error)
  }
}

/**
 * Reads a file, changes its text and puts the new one in its place. Processes take turns, and what a person writes meanwhile is read again and not
 * written over. A full disk leaves the file as it is.
 */
export async function changeMemoryFile(path: string, options: LockOptions, change: (text: string) => string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw fileError(path, error)
  })
  await withLock(path, options, async () => {
    for (let tries = 0; tries < mostTries; tries++) {
      const before = await readMemoryFile(path)
      const after = change(before)
      if (after === before || (await replaceIf(path, after, before))) return
    }
    throw fail('STORE_BUSY', { file: path })
  })
}

/** False where the file is not what it was. */
async function replaceIf(path: string, text: string, before: string): Promise<boolean> {
  // A linked file, such as one in a repository, stays a link.
  const target = await realpath(path).catch(() => path)
  const temporary = `${target}.${process.pid}.tmp`
  try {
    const file = await open(temporary, written, 0o600)
    try {
      await file.writeFile(text)
    } finally {
      await file.close()
    }
    if ((await readMemoryFile(path)) === before) {
      await rename(temporary, target)
      return true
    }
    await rm(temporary, { force: true })
    return false
  } catch (error) {
    await rm(temporary, { force: true })
    throw isAgentError(error) ? error : fileError(path, error)
  }
}
