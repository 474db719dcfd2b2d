import type { ContractKind, WireError } from '@agent/plugin-sdk'
import type { LinkState } from '../links/link-status.ts'

/** What a reload did to one part of a plugin. A type, so that it is data for the control channel. */
export type ReloadedPart = {
  readonly kind: ContractKind
  readonly id: string
  readonly plugin: string
  /** `kept`: the new settings or code did not work, so the old ones go on. */
  readonly did: 'opened' | 'closed' | 'replaced' | 'kept'
  /** Of a platform, after it. */
  readonly state?: LinkState
  readonly error?: WireError
}

export type ReloadReport = {
  /** Counts the reloads of this gateway. */
  readonly generation: number
  /** Parts that are not named were not touched. */
  readonly parts: readonly ReloadedPart[]
}
