import { createHash, randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { identifyProcess, isAlive, type ProcessIdentity } from '../process-identity.ts'

export interface CredentialLockOptions {
  /** Where all gateways of this user on this machine look. */
  readonly folder: string
  readonly platform: string
  readonly label: string
  /** The variable that holds the credential. */
  readonly name: string
  readonly credential: string
  /** Path of the home that takes it, for whoever finds it taken. */
  readonly home: string
}

interface LockRecord extends ProcessIdentity {
  readonly home: string
}

/** Not the runtime folder of the session: a gateway that cron or a service starts has none. */
export function defaultLockFolder(): string {
  return join(homedir(), '.cache', 'agent', 'locks')
}

/**
 * Keeps two gateways from polling one account: services give each message to one of them, or cut both off.
 * Throws CREDENTIAL_IN_USE while another process has it; gives back what unlocks it.
 */
export function lockCredential({ folder, platform, label, name, credential, home }: CredentialLockOptions): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const key = createHash('sha256').update(`${platform}\0${credential}`).digest('hex')
  const file = join(folder, `${platform}-${key}.json`)
  const own: LockRecord = { ...identifyProcess(process.pid), home }
  const text = JSON.stringify(own)
  while (!placeFile(file, text)) {
    const holder = readRecord(file)
    if (holder && isAlive(holder)) throw fail('CREDENTIAL_IN_USE', { platform: label, name, pid: holder.pid, home: holder.home })
    removeStale(file)
  }
  return () => {
    if (readFile(file) === text) rmSync(file, { force: true })
  }
}

/** A link is made with its content or not at all; false where the file is there already. */
function placeFile(file: string, text: string): boolean {
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
  const moved = readRecord(aside)
  if (moved && isAlive(moved)) placeFile(file, readFile(aside) ?? '')
  rmSync(aside, { force: true })
}

function readRecord(file: string): LockRecord | undefined {
  try {
    return JSON.parse(readFile(file) ?? '') as LockRecord
  } catch {
    // Nobody writes half a lock; what cannot be read is nobody's.
    return undefined
  }
}

function readFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It went away.
    return undefined
  }
}
