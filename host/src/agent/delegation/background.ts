import type { TurnEvent } from '@agent/plugin-sdk'
import type { AgentEnd } from '#tools/tool-turn.ts'

/** A child agent as the door of its conversation knows it. */
export interface BackgroundChild {
  readonly session: string
  /** The session of the turn that it works for. */
  readonly root: string
  readonly goal: string
  /** How many child agents there were in its tree. */
  readonly spawned: number
}

/** Where the door keeps what comes of a child agent, until the conversation hears it. */
export interface BackgroundPlace {
  /** Fires when the program ends. */
  readonly signal: AbortSignal
  /** Takes what the child tells; questions among it are asked in the conversation. */
  hear(event: TurnEvent): void
  /** Never rejects. */
  tell(end: AgentEnd, spawned: number): Promise<void>
}

/** How a door lets child agents work on behind a turn. */
export interface Background {
  /** How many work for this conversation now. */
  working(): number
  /** Resolves when it is written down that this child is to work: a kill after that is told as well. */
  keep(child: BackgroundChild): Promise<BackgroundPlace>
}
