import type { Call, Clock, HttpReply, HttpRequest, Turns } from '@agent/plugin-sdk'
import type { BodyMemory } from '@agent/plugin-sdk/http'
import type { ReplayCache } from './idempotency.ts'
import type { KeepAlive } from './keep-alive.ts'
import type { ResponseStore } from './response-store.ts'
import type { Settings } from './settings.ts'
import type { Slots } from './slots.ts'

/** What answering requests needs. */
export interface Door {
  readonly settings: Settings
  readonly turns: Turns
  readonly clock: Clock
  /** Where bodies lie; a route has read its body when it answers. */
  readonly memory: BodyMemory
  readonly keepAlive: KeepAlive
  readonly slots: Slots
  readonly responses: ResponseStore
  readonly replays: ReplayCache
  /** Fires when the server ends. */
  readonly signal: AbortSignal
  readonly about: {
    readonly version: string
    readonly profile: string
    /** Milliseconds since 1970. */
    readonly startedAt: number
  }
  /** A new id of a family: `resp_`, `run_`. */
  createId(prefix: string): string
}

/** `id` is what stands for `{id}` in the path; empty where there is none. */
export type Route = (request: HttpRequest, call: Call, id: string) => Promise<HttpReply>
