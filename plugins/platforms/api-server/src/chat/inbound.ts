import type { HttpRequest, TurnRequest } from '@agent/plugin-sdk'
import { deriveSession, parseSession } from '../door/session.ts'
import { parseClientTools, parseEffort, parseFormat } from '../wire/client-tools.ts'
import { buildConversation } from '../wire/conversation.ts'
import { chatLimits, readFields } from '../wire/fields.ts'
import { inSlices } from '../wire/in-slices.ts'
import { chatBody } from '../wire/wire.ts'

/** A chat request: the turn that it asks for, and how its answer is wanted. */
export interface Chat {
  readonly turn: TurnRequest
  /** As the client named it; it is shown and decides nothing. */
  readonly model: string | undefined
  readonly stream: boolean
  readonly includeUsage: boolean
  /** Names of the client's tools that take text. */
  readonly custom: ReadonlySet<string>
  /** Names of fields that have no effect. */
  readonly ignored: readonly string[]
}

/** Reads a chat request. With a session id the stored conversation goes on; without one the request brings its own history. */
export async function parseChat(request: HttpRequest, key: string | undefined): Promise<Chat> {
  const { body, ignored } = readFields(chatBody, request.body, chatLimits)
  const { continued, grouped } = parseSession(request, key)
  const builder = buildConversation()
  await inSlices(body.messages, (message, index) => builder.addMessage(message, `messages.${index}`))
  const { instructions, history, input, results, first } = builder.finish('messages')
  const tools = parseClientTools(request, body)
  const derived = deriveSession(tools.turn.agentTools === false ? `${instructions}\noff` : instructions, first)
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens
  return {
    turn: {
      input,
      source: 'api-server',
      canAnswer: false,
      ...(continued ? { session: continued } : { session: grouped ?? derived, history }),
      ...(results.length > 0 ? { results } : {}),
      ...tools.turn,
      ...parseFormat(body.response_format, 'response_format'),
      ...(instructions ? { instructions } : {}),
      ...(maxOutputTokens ? { maxOutputTokens } : {}),
      ...(typeof body.temperature === 'number' ? { temperature: body.temperature } : {}),
      ...(body.stop ? { stop: [body.stop].flat() } : {}),
      ...parseEffort(body.reasoning_effort),
    },
    ignored,
    model: body.model?.slice(0, 200) || undefined,
    stream: body.stream === true,
    includeUsage: body.stream_options?.include_usage === true,
    custom: tools.custom,
  }
}
