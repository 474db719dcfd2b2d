import type { Call, HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { completeTurn } from '../answer/complete-turn.ts'
import { type AnswerHead, createChunkWriter } from '../answer/outbound.ts'
import { streamTurn } from '../answer/stream-turn.ts'
import type { Door, Route } from '../door/door.ts'
import { fingerprint, parseIdempotencyKey } from '../door/idempotency.ts'
import { type FieldNames, nameField, turnFailureReply } from '../wire/failure.ts'
import { nameIgnored } from '../wire/fields.ts'
import { type Chat, parseChat } from './inbound.ts'

const fields: FieldNames = { RESPONSE_FORMAT: 'response_format', RESULT_UNCLAIMED: 'messages' }

/** POST /v1/chat/completions: one request, one turn. A client that leaves interrupts it. */
export function createChatRoute(door: Door): Route {
  const { settings, turns, clock, keepAlive, slots, replays, createId } = door
  const { showReasoning, toolProgress } = settings
  const answer = async (chat: Chat, request: HttpRequest, call: Call): Promise<HttpReply> => {
    const head = { id: createId('chatcmpl-'), created: Math.floor(clock.now() / 1000), model: chat.model ?? settings.modelName }
    if (!chat.stream) {
      const key = parseIdempotencyKey(request)
      if (key === undefined) return answerWhole(door, { chat, head, call })
      return replays.once(key + fingerprint(request, request.body), call, (shared) => answerWhole(door, { chat, head, call: shared }))
    }
    const slot = slots.take()
    const chunks = createChunkWriter(head, { includeUsage: chat.includeUsage, showReasoning, toolProgress, custom: chat.custom })
    return streamTurn({ events: turns.run(chat.turn, call), chunks, keepAlive, clock, fields, slot, onEnd: slot.release })
  }
  return async (request, call) => {
    const chat = await parseChat(request, settings.key)
    return nameIgnored(await answer(chat, request, call), chat.ignored)
  }
}

interface Asked {
  readonly chat: Chat
  readonly head: AnswerHead
  readonly call: Call
}

async function answerWhole({ turns, settings, slots }: Door, { chat, head, call }: Asked): Promise<HttpReply> {
  const { release } = slots.take()
  return completeTurn(turns.run(chat.turn, call), head, { showReasoning: settings.showReasoning, custom: chat.custom })
    .catch((error: unknown) => turnFailureReply(nameField(error, fields)))
    .finally(release)
}
