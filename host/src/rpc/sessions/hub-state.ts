import type { ChatGround } from './chat-ground.ts'
import type { FollowSettings } from './follow-settings.ts'
import type { LiveSession } from './live-session.ts'

/** What the sessions of a profile have in common. */
export interface HubState {
  readonly ground: ChatGround
  readonly followSettings: FollowSettings
  readonly sessions: Map<string, LiveSession>
  /** Opens a session that nobody has said anything in. */
  create(title: string | undefined): LiveSession
  /** A session has nothing to do any more. */
  onIdle(): void
}
