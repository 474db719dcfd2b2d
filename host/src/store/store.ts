import type { Clock, Log } from '@agent/plugin-sdk'
import type { Jobs } from './jobs.ts'
import type { Journal } from './journal.ts'
import type { Kv } from './kv.ts'
import type { Leases } from './leases.ts'
import type { Past } from './past.ts'
import type { Sessions } from './sessions.ts'
import type { UsageLedger } from './usage.ts'

export interface Store {
  readonly journal: Journal
  readonly sessions: Sessions
  readonly past: Past
  readonly kv: Kv
  readonly leases: Leases
  readonly usage: UsageLedger
  readonly jobs: Jobs
  /** Whether another process has written since this was asked before. */
  isWrittenElsewhere(): boolean
  /** Finishes what was begun, then closes the file. */
  close(): Promise<void>
}

export interface StoreOptions {
  readonly file: string
  /** `full` survives a power cut, `process` a killed process. */
  readonly durability: 'full' | 'process'
  readonly clock: Clock
  readonly log: Log
  /** Path of a cached native module; absent: the package's own build. */
  readonly nativeBinding?: string | undefined
  /** How long another process may keep the file locked; absent: 5 seconds. */
  readonly lockWaitMs?: number
}
