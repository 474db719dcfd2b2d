import type { InboundMessage, Mood, WireError } from '@agent/plugin-sdk'
import type { PlatformSettings } from '#config/platform-settings.ts'
import type { JobPerson } from '#store/jobs.ts'
import type { Claim } from '#store/journal.ts'
import type { TurnRows } from '#store/sessions.ts'
import type { RunningTurn } from '../conversation/running-turns.ts'
import type { InboxParts } from './inbox-parts.ts'

/** A message on its way from the inbox to its answer. The stages fill in what they find. */
export interface Job {
  readonly claim: Claim
  readonly settings: PlatformSettings
  readonly sessionKey: string
  /** Several people talk in this session. */
  readonly shared: boolean
  /** It has passed messages that came before it. It is judged already, and what needs a turn goes back into the order. */
  readonly outOfTurn: boolean
  /** Fires when the gateway stops. */
  readonly stop: AbortSignal
  /** Its writer is let in, and may be told what goes wrong. */
  admitted: boolean
  /** What the agent hears. */
  heard: InboundMessage
  /** Work that is done beside the conversation, as people are reminded of it. */
  background?: string
  /** Its place among what runs; from `gather` or `/background` on. */
  running?: RunningTurn
  /** How the message is left once its answer is written; absent: as it is. */
  mood?: Mood
  /** Done at the end, last first. */
  readonly atEnd: (() => void | Promise<void>)[]
}

/** What a message is answered with, or `released`: it waits again. */
export interface Outcome {
  readonly state: 'answered' | 'dropped' | 'failed' | 'released'
  /** Absent: nothing is said. */
  readonly text?: string | undefined
  /** What the turn leaves in its session. */
  readonly rows?: TurnRows | null
  readonly mood?: Mood
  /** Why there is no whole answer; it is listed as a failure. */
  readonly error?: WireError | undefined
}

/** One step of the way: an outcome ends the way, without one the next stage comes. */
export type Stage = (inbox: InboxParts, job: Job) => Promise<Outcome | undefined>

/** Who wrote a message, as far as it decides what they may do. */
export const personOf = ({
  platform,
  message: { account, conversation, sender },
}: Pick<Job['claim'], 'platform' | 'message'>): JobPerson => ({
  ...{ platform, account, conversation, sender },
})
