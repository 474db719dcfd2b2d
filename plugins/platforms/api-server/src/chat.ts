import type { Call, Clock, HttpReply, HttpRequest, Turns } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { completeTurn } from './complete-turn.ts'
import { toAgentError, turnFailureReply } from './failure.ts'
import { parseChat } from './inbound.ts'
import type { KeepAlive } from './keep-alive.ts'
import { createChunkWriter } from './outbound.ts'
import type { Settings } from './settings.ts'
import { streamTurn } from './stream-turn.ts'

/** What answering requests needs. */
export interface Door {
  readonly settings: Settings
  readonly turns: Turns
  readonly clock: Clock
  readonly keepAlive: KeepAlive
  /** Id of an answer. */
  createId(): string
}

export type Route = (request: HttpRequest, call: Call) => Promise<HttpReply>

/** POST /v1/chat/completions: one request, one turn. A client that leaves interrupts it. */
export function createChatRoute({ settings, turns, clock, keepAlive, createId }: Door): Route {
  let running = 0
  const onEnd = (): void => {
    running--
  }

  return async (request, call) => {
    const chat = parseChat(request, settings.key)
    if (running >= settings.maxRuns) throw fail('HTTP_TOO_MANY', { limit: settings.maxRuns }, { retryAfterMs: 1_000 })
    const head = { id: createId(), created: Math.floor(clock.now() / 1000), model: chat.model ?? settings.modelName }
    const { showReasoning, toolProgress } = settings
    const events = turns.run(chat.turn, call)
    running++
    if (chat.stream) {
      const chunks = createChunkWriter(head, { includeUsage: chat.includeUsage, showReasoning, toolProgress })
      return streamTurn({ events, chunks, keepAlive, clock, onEnd })
    }
    return completeTurn(events, head, showReasoning)
      .catch((error: unknown) => turnFailureReply(toAgentError(error)))
      .finally(onEnd)
  }
}
