import type { WireError } from '@agent/plugin-sdk'

/**
 * `degraded`: connected and deaf, a new connection is on its way. `retrying`: waits for its next attempt.
 * `fatal`: no waiting mends it. `paused`: by a person. `disconnected`: the gateway has closed it.
 */
export type LinkState = 'starting' | 'connected' | 'degraded' | 'retrying' | 'fatal' | 'paused' | 'disconnected'

export interface LinkStatus {
  readonly platform: string
  readonly state: LinkState
  /** Milliseconds since 1970. */
  readonly since: number
  /** Attempts since the last healthy connection. */
  readonly attempts: number
  /** When the platform was last heard on this connection, by its own proof; null before the first. */
  readonly lastHeard: number | null
  /** How often a connection that heard nothing was replaced. */
  readonly silences: number
  /** It has failed for hours. It is tried on. */
  readonly needsAttention: boolean
  readonly error?: WireError
}

type Change = Partial<Pick<LinkStatus, 'attempts' | 'error'>>

/** The status of one platform, and the one place that changes it. */
export interface LinkRecord {
  status(): LinkStatus
  /** Attempts stay as they are where nothing is said of them, an error does not. */
  change(state: LinkState, more?: Change): void
  hear(at: number): void
  /** Counts a connection that was cut because nothing was heard. */
  countSilence(): void
  /** A healthy connection ends the trouble. */
  recover(): void
}

const attentionMs = 2 * 3_600_000

/** A platform that has not been tried yet. */
export function newStatus(platform: string, since: number): LinkStatus {
  return { platform, state: 'starting', since, attempts: 0, lastHeard: null, silences: 0, needsAttention: false }
}

export function createLinkRecord(platform: string, now: () => number, onChange: (status: LinkStatus) => void): LinkRecord {
  let status = newStatus(platform, now())
  let troubleSince: number | undefined
  return {
    status: () => status,
    change: (state, more = {}) => {
      const { error: _error, ...rest } = status
      if (more.error) troubleSince ??= now()
      const needsAttention = troubleSince !== undefined && now() - troubleSince >= attentionMs
      const since = state === status.state ? status.since : now()
      // What was heard before says nothing about a new connection.
      status = { ...rest, ...more, state, since, needsAttention, lastHeard: state === 'connected' ? null : status.lastHeard }
      onChange(status)
    },
    hear: (at) => {
      if (status.state !== 'connected' || at >= status.since) status = { ...status, lastHeard: at }
    },
    countSilence: () => {
      status = { ...status, silences: status.silences + 1 }
    },
    recover: () => {
      troubleSince = undefined
    },
  }
}
