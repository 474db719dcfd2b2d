import { randomUUID } from 'node:crypto'
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readText } from '#kernel/read-text.ts'
import { isAlive, type ProcessIdentity } from './process-identity.ts'

/**
 * Takes a lock that is one file with its holder in it; what a killed process left is taken over. Throws what `describeHolder`
 * makes of a holder that lives; gives back what unlocks.
 */
export function takeLock<Holder extends ProcessIdentity>(file: string, own: Holder, describeHolder: (holder: Holder) => Error): () => void {
  const text = JSON.stringify(own)
  while (!place(file, text)) {
    const holder = readHolder<Holder>(file)
    if (holder && isAlive(holder)) throw describeHolder(holder)
    removeStale(file)
  }
  return () => {
    if (readFile(file) === text) rmSync(file, { force: true })
  }
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
export function removeStale(file: string): void {
  const aside = `${file}.${randomUUID()}`
  try {
    renameSync(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return
  }
  const moved = readHolder(aside)
  if (moved && isAlive(moved)) place(file, readFile(aside) ?? '')
  rmSync(aside, { force: true })
}

function readHolder<Holder extends ProcessIdentity>(file: string): Holder | undefined {
  try {
    return JSON.parse(readFile(file) ?? '') as Holder
  } catch {
    // Nobody writes half a lock; what cannot be read is nobody's.
    return undefined
  }
}

function readFile(file: string): string | undefined {
  try {
    return readText(file, { mostBytes: 64 * 1024 })
  } catch {
    // What is no text names nobody.
    return undefined
  }
}
