import type { HttpRequest, ModelMessage, SessionRef, TurnRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { ResponseStore, StoredResponse } from '../door/response-store.ts'
import { deriveSession, type NamedSession } from '../door/session.ts'
import { parseClientTools, parseEffort, parseFormat } from '../wire/client-tools.ts'
import { buildConversation, type ConversationBuilder } from '../wire/conversation.ts'
import { inSlices } from '../wire/in-slices.ts'
import type { AskedBody } from '../wire/wire.ts'
import { addInputItem } from './input-items.ts'

const keptByTruncation = 100

/** What a request for a response or a run comes to. */
export interface Asked {
  readonly turn: TurnRequest
  readonly session: SessionRef
  /** All that was said before the answer; absent where the session itself keeps it. */
  readonly said?: readonly ModelMessage[]
  /** The client's own instructions, or those that a chained request inherits. */
  readonly instructions: string | undefined
  /** Names of the client's tools that take text. */
  readonly custom: ReadonlySet<string>
}

export interface AskedOptions {
  readonly request: HttpRequest
  readonly body: AskedBody
  readonly named: NamedSession
  /** The response that this one goes on from. */
  readonly previous: StoredResponse | undefined
  readonly store: ResponseStore
  /** Session of a request that names none and goes on from nothing. */
  readonly fresh?: SessionRef
}

/** Finds the response that a request names. */
export function findPrevious(store: ResponseStore, id: string | null | undefined): StoredResponse | undefined {
  if (typeof id !== 'string') return undefined
  const found = store.find(id)
  if (!found) throw fail('HTTP_NOT_FOUND', { what: `response ${id.slice(0, 100)}`, param: 'previous_response_id' })
  if (found.body.status === 'in_progress') throw fail('HTTP_RESPONSE_PENDING', { response: id })
  return found
}

/** Layers: instructions, then system messages; the history of the request before that of the response it goes on from. */
export async function parseAsked({ request, body, named, previous, store, fresh }: AskedOptions): Promise<Asked> {
  const builder = buildConversation()
  await addInput(builder, body.input, store)
  const { instructions: system, history: given, input, results, first } = builder.finish('input')
  const own = typeof body.instructions === 'string' ? body.instructions : (previous?.body.instructions ?? undefined)
  const tools = parseClientTools(request, body)
  const key = tools.turn.agentTools === false ? `${own ?? ''}\noff` : (own ?? '')
  const session = named.continued ?? named.grouped ?? previous?.session ?? fresh ?? deriveSession(key, first)
  const earlier = await readHistory(body)
  const layered = [own, earlier?.instructions, system].filter(Boolean).join('\n')
  const turn: TurnRequest = {
    ...{ input, source: 'api-server', canAnswer: false, session },
    ...(results.length > 0 ? { results } : {}),
    ...(layered ? { instructions: layered } : {}),
    ...tools.turn,
    ...parseFormat(body.text?.format, 'text.format'),
    ...tuning(body),
  }
  const common = { session, instructions: own, custom: tools.custom }
  if (named.continued || (previous && !previous.messages && !earlier)) return { turn, ...common }
  const history = truncate([...(earlier?.messages ?? previous?.messages ?? []), ...given], body.truncation)
  return { turn: { ...turn, history }, said: [...history, ...broughtBy(turn)], ...common }
}

function broughtBy({ results = [], input }: TurnRequest): readonly ModelMessage[] {
  const messages: ModelMessage[] = []
  if (results.length > 0) messages.push({ role: 'tool', results })
  if (input.length > 0) messages.push({ role: 'user', parts: input })
  return messages
}

async function addInput(builder: ConversationBuilder, input: AskedBody['input'], store: ResponseStore): Promise<void> {
  if (typeof input === 'string') builder.say('user', input, 'input')
  else await inSlices(input, (item, index) => addInputItem(builder, item, { param: `input.${index}`, store }))
}

async function readHistory({ conversation_history: list }: AskedBody): Promise<ReturnType<ConversationBuilder['all']> | undefined> {
  if (!list) return undefined
  const builder = buildConversation()
  await inSlices(list, (message, index) => builder.addMessage(message, `conversation_history.${index}`))
  return builder.all()
}

function tuning(body: AskedBody): Pick<TurnRequest, 'maxOutputTokens' | 'temperature' | 'reasoning'> {
  const { max_output_tokens: maxOutputTokens, temperature } = body
  return {
    ...(maxOutputTokens ? { maxOutputTokens } : {}),
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...parseEffort(body.reasoning?.effort),
  }
}

/** What is kept begins with something that the user said. */
function truncate(history: readonly ModelMessage[], truncation: AskedBody['truncation']): readonly ModelMessage[] {
  if (truncation !== 'auto' || history.length <= keptByTruncation) return history
  const kept = history.slice(-keptByTruncation)
  const begin = kept.findIndex((message) => message.role === 'user')
  return begin < 0 ? [] : kept.slice(begin)
}
