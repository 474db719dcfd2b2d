import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { identifyProcess, type ProcessIdentity } from '../process/process-identity.ts'
import { takeLock } from '../process/process-lock.ts'

export interface CredentialLockOptions {
  /** Where all gateways of this user on this machine look. */
  readonly folder: string
  readonly platform: string
  readonly label: string
  /** The variable that holds the credential. */
  readonly name: string
  readonly credential: string
  /** Path of the home that takes it, for a gateway that finds it taken. */
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
  return takeLock(file, own, (holder) => fail('CREDENTIAL_IN_USE', { platform: label, name, pid: holder.pid, home: holder.home }))
}
