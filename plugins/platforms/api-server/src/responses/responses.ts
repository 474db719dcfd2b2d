import type { Call, HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { streamTurn } from '../answer/stream-turn.ts'
import { turnHeaders } from '../answer/turn-headers.ts'
import type { Door, Route } from '../door/door.ts'
import { fingerprint, parseIdempotencyKey } from '../door/idempotency.ts'
import type { ResponseEcho } from '../door/response-object.ts'
import type { StoredResponse } from '../door/response-store.ts'
import { parseSession } from '../door/session.ts'
import type { Slot } from '../door/slots.ts'
import { type FieldNames, nameField, turnFailureReply } from '../wire/failure.ts'
import { nameIgnored, readFields, responseLimits } from '../wire/fields.ts'
import { json } from '../wire/json.ts'
import { type ResponseBody, responseBody } from '../wire/wire.ts'
import { abandoned, createDraft, createResponseWriter, type DraftOptions, drawUp, type ResponseDraft } from './response-draft.ts'
import { type Asked, findPrevious, parseAsked } from './responses-inbound.ts'

/** A response that is asked for, and where it will be kept. */
interface Wanted {
  readonly asked: Asked
  readonly options: DraftOptions
  readonly stream: boolean
  readonly conversation: string | undefined
  /** Names of fields that have no effect. */
  readonly ignored: readonly string[]
}

const fields: FieldNames = { RESPONSE_FORMAT: 'text.format', RESULT_UNCLAIMED: 'input' }

/** POST /v1/responses: one request, one turn, kept for the requests that go on from it. */
export function createResponseRoute(door: Door): Route {
  const respond = async (wanted: Wanted, request: HttpRequest, call: Call): Promise<HttpReply> => {
    if (wanted.stream) return respondInStream(door, wanted, { call, slot: door.slots.take() })
    const key = parseIdempotencyKey(request)
    if (key === undefined) return respondWhole(door, wanted, call)
    return door.replays.once(key + fingerprint(request, request.body), call, (shared) => respondWhole(door, wanted, shared))
  }
  return async (request, call) => {
    const wanted = await readWanted(door, request)
    return nameIgnored(await respond(wanted, request, call), wanted.ignored)
  }
}

/** GET /v1/responses/{id} */
export function createResponseReader({ responses }: Door): Route {
  return async ({ url }, _call, id) => {
    const stream = new URLSearchParams(url.split('?', 2)[1]).get('stream') ?? 'false'
    if (stream !== 'false') throw fail('HTTP_INVALID', { param: 'stream', problem: 'must be false: a kept response is read whole' })
    return json((responses.find(id) ?? unknownResponse(id)).body)
  }
}

/** DELETE /v1/responses/{id} */
export function createResponseRemover({ responses }: Door): Route {
  return async (_request, _call, id) => {
    if (!responses.delete(id)) unknownResponse(id)
    return json({ id, object: 'response', deleted: true })
  }
}

function unknownResponse(id: string): never {
  throw fail('HTTP_NOT_FOUND', { what: `response ${id.slice(0, 100)}` })
}

async function readWanted(door: Door, request: HttpRequest): Promise<Wanted> {
  const { settings, responses, clock, createId } = door
  const named = parseSession(request, settings.key)
  const { body, ignored } = readFields(responseBody, request.body, responseLimits)
  const conversation = (typeof body.conversation === 'string' ? body.conversation : body.conversation?.id) || undefined
  if (conversation !== undefined && typeof body.previous_response_id === 'string') {
    throw fail('HTTP_INVALID', { param: 'conversation', problem: 'cannot be sent together with previous_response_id' })
  }
  const previous = conversation === undefined ? findPrevious(responses, body.previous_response_id) : responses.latest(conversation)
  const fresh = conversation === undefined ? {} : { fresh: { key: createId('api-').slice(0, 20) } }
  const asked = await parseAsked({ request, body, named, previous, store: responses, ...fresh })
  const options: DraftOptions = {
    head: {
      id: createId('resp_'),
      created: Math.floor(clock.now() / 1000),
      model: body.model?.slice(0, 200) || settings.modelName,
    },
    echo: echoOf(body, asked, previous, conversation),
    showReasoning: settings.showReasoning,
    toolItems: settings.toolItems,
    custom: asked.custom,
    createId,
  }
  return { asked, options, stream: body.stream === true, conversation, ignored }
}

function echoOf(body: ResponseBody, asked: Asked, previous: StoredResponse | undefined, conversation: string | undefined): ResponseEcho {
  return {
    instructions: asked.instructions ?? null,
    metadata: body.metadata ?? {},
    max_output_tokens: body.max_output_tokens ?? null,
    previous_response_id: previous?.body.id ?? null,
    ...(conversation === undefined ? {} : { conversation: { id: conversation } }),
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    store: body.store ?? true,
    temperature: body.temperature ?? null,
    truncation: body.truncation ?? 'disabled',
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
  }
}

async function respondWhole(door: Door, wanted: Wanted, call: Call): Promise<HttpReply> {
  const { release } = door.slots.take()
  const draft = createDraft(wanted.options, () => undefined)
  try {
    const failure = await drawUp(door.turns.run(wanted.asked.turn, call), draft)
    if (failure && !draft.hasText) return turnFailureReply(failure)
  } catch (error) {
    return turnFailureReply(nameField(error, fields))
  } finally {
    release()
  }
  keep(door, wanted, draft)
  const { status, headers, body } = json(draft.body())
  return {
    status,
    headers: { ...headers, ...turnHeaders(draft.about) },
    ...(body ? { body } : {}),
  }
}

interface Running {
  readonly call: Call
  readonly slot: Slot
}

function respondInStream(door: Door, wanted: Wanted, { call, slot }: Running): Promise<HttpReply> {
  const { chunks, draft } = createResponseWriter(wanted.options)
  keep(door, wanted, draft)
  return streamTurn({
    events: door.turns.run(wanted.asked.turn, call),
    chunks,
    keepAlive: door.keepAlive,
    clock: door.clock,
    fields,
    slot,
    onEnd() {
      if (!draft.ended) draft.fail(abandoned())
      // What was deleted while it was written stays deleted.
      if (door.responses.find(draft.body().id)) keep(door, wanted, draft)
      slot.release()
    },
  })
}

function keep({ responses }: Door, { asked, options, conversation }: Wanted, draft: ResponseDraft): void {
  if (!options.echo.store) return
  responses.put({
    body: draft.body(),
    session: asked.session,
    ...(asked.said ? { messages: draft.ended ? [...asked.said, ...draft.messages()] : asked.said } : {}),
    ...(conversation === undefined ? {} : { conversation }),
  })
}
