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

/** A profile beside the default one, as the gateway that serves them sees it. */
export type ServedProfile = {
  readonly profile: string
  /** `stopped`: on purpose. `gone`: there is no such profile any more. */
  readonly state: 'opening' | 'served' | 'stopped' | 'failed' | 'gone'
  /** Where its first request door answers; empty where none does. */
  readonly url: string
  readonly error?: WireError
}

export type ReloadReport = {
  /** Counts the reloads of this gateway. */
  readonly generation: number
  /** Parts that are not named were not touched. */
  readonly parts: readonly ReloadedPart[]
  /** Of a gateway that serves other profiles: those that changed or cannot be served. */
  readonly profiles?: readonly ServedProfile[]
}
