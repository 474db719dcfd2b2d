import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { identifyProcess, isAlive, type ProcessIdentity } from '#gateway/process-identity.ts'

/** Lets one process at a time change the plugins of a home; what a killed one left is taken over. Gives back what unlocks. */
export function lockWriter(file: string): () => void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const text = JSON.stringify(identifyProcess(process.pid))
  while (!place(file, text)) {
    const holder = readHolder(file)
    if (holder && isAlive(holder)) throw fail('PLUGINS_BUSY', { pid: holder.pid })
    removeStale(file)
  }
  return () => rmSync(file, { force: true })
}

/** A link is made with its content or not at all; false where the file is there already. */
function place(file: string, text: string): boolean {
  const draft = `${file}.${randomUUID()}`
  writeFileSync(draft, text, { mode: 0o600 })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Moves it away first: another process may have replaced the dead lock by its own since it was read, and gets that back. */
function removeStale(file: string): void {
  const aside = `${file}.${randomUUID()}`
  try {
    renameSync(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return
  }
  const moved = readHolder(aside)
  if (moved && isAlive(moved)) place(file, JSON.stringify(moved))
  rmSync(aside, { force: true })
}

function readHolder(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity
  } catch {
    // Gone or damaged: either way nobody holds it.
    return undefined
  }
}
