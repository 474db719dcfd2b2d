import type { ModelMessage, TurnEvent } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { type AnswerHead, type ChunkWriter, failureIn, finishReason, noResult } from '../answer/outbound.ts'
import { learn, type TurnAbout, unknownTurn } from '../answer/turn-headers.ts'
import { formatResponseUsage, type ResponseEcho, type ResponseObject, type Sink } from '../door/response-object.ts'
import { clientCode } from '../wire/failure.ts'
import { createItems, type ItemOptions } from './response-items.ts'
import { createTurnMessages } from './turn-messages.ts'

export interface DraftOptions extends ItemOptions {
  readonly head: AnswerHead
  readonly echo: ResponseEcho
  readonly showReasoning: boolean
}

/** A response that grows with the events of its turn. */
export interface ResponseDraft {
  take(event: TurnEvent): void
  /** A turn that broke off; after the end it changes nothing. */
  fail(error: AgentError): void
  readonly ended: boolean
  /** True when there is text to keep. */
  readonly hasText: boolean
  readonly about: TurnAbout
  body(): ResponseObject
  /** What a response that goes on from this one is told. */
  messages(): readonly ModelMessage[]
}

interface End {
  readonly status: ResponseObject['status']
  readonly error: ResponseObject['error']
  readonly incomplete_details: ResponseObject['incomplete_details']
}

const open: End = { status: 'in_progress', error: null, incomplete_details: null }

/** `emit` is told of every event of the response's stream, in the order that clients rely on. */
export function createDraft({ head, echo, showReasoning, ...options }: DraftOptions, emit: Sink): ResponseDraft {
  const constant = {
    id: head.id,
    object: 'response',
    created_at: head.created,
    background: false,
    top_p: null,
    ...echo,
  } as const
  const items = createItems(options, emit)
  const said = createTurnMessages()
  let usage: ResponseObject['usage'] = null
  let about = unknownTurn
  let { model } = head
  let end = open

  const body = (): ResponseObject => ({ ...constant, model, ...end, output: [...items.output], usage })

  function finish(how: End): void {
    if (end !== open) return
    items.close(how.status === 'completed' ? 'completed' : 'incomplete')
    end = how
    emit(`response.${how.status}`, { response: body() })
  }

  const takers: Takers = {
    'message.delta': ({ text }) => items.say('message', text),
    'reasoning.delta': ({ text }) => showReasoning && items.say('reasoning', text),
    'tool.start': (event) => event.name.startsWith('_') || items.startTool(event),
    'tool.complete': items.completeTool,
    status: (event) => {
      if (event.kind === 'fallback') model = event.model
    },
    usage: (event) => {
      usage = formatResponseUsage(event.usage)
    },
    'message.complete': (event) => {
      if (!items.hasText) items.say('message', event.text)
      if (event.calls) items.callClient(event.calls)
      finish(endings[finishReason(event.status, event.stop)])
    },
  }

  function take(event: TurnEvent): void {
    const failure = failureIn(event)
    about = learn(about, event)
    if (failure) finish(endOf(failure))
    else {
      said.take(event)
      const taker = takers[event.type] as ((event: TurnEvent) => unknown) | undefined
      taker?.(event)
    }
  }

  emit('response.created', { response: body() })
  emit('response.in_progress', { response: body() })
  return {
    take,
    fail: (error) => finish(endOf(error)),
    body,
    messages: () => said.all(),
    get ended() {
      return end !== open
    },
    get hasText() {
      return items.hasText
    },
    get about() {
      return about
    },
  }
}

type Takers = { readonly [Type in TurnEvent['type']]?: (event: Extract<TurnEvent, { type: Type }>) => unknown }

const endings: Readonly<Record<ReturnType<typeof finishReason>, End>> = {
  stop: { status: 'completed', error: null, incomplete_details: null },
  tool_calls: { status: 'completed', error: null, incomplete_details: null },
  length: { status: 'incomplete', error: null, incomplete_details: { reason: 'max_output_tokens' } },
  content_filter: { status: 'incomplete', error: null, incomplete_details: { reason: 'content_filter' } },
}

/** Who left has no error; what was said until then is kept. */
function endOf(error: AgentError): End {
  if (error.code === 'INTERRUPTED') return { status: 'incomplete', error: null, incomplete_details: { reason: 'interrupted' } }
  return { status: 'failed', error: { code: clientCode(error), message: error.message }, incomplete_details: null }
}

/** Takes every event of a turn; its failure is the last one. */
export async function drawUp(events: AsyncIterable<TurnEvent>, draft: ResponseDraft): Promise<AgentError | undefined> {
  let failure: AgentError | undefined
  for await (const event of events) {
    failure ??= failureIn(event)
    draft.take(event)
  }
  if (!draft.ended) draft.fail(noResult())
  return failure
}

/** The lines of a response's stream: each event is named like its type and numbered. */
export function createResponseWriter(options: DraftOptions): { readonly chunks: ChunkWriter; readonly draft: ResponseDraft } {
  let sequence = 0
  let lines = ''
  let fieldsOfDelta: unknown
  let beforeDelta = ''
  const draft = createDraft(options, (type, fields, delta) => {
    if (delta === undefined) {
      lines += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`
      return
    }
    // Once for each token: the constant text around it is made once for each item.
    if (fields !== fieldsOfDelta) {
      fieldsOfDelta = fields
      beforeDelta = `event: ${type}\ndata: ${JSON.stringify({ type, ...fields }).slice(0, -1)},"sequence_number":`
    }
    lines += `${beforeDelta}${sequence++},"delta":${JSON.stringify(delta)}}\n\n`
  })
  const flush = (): string => {
    const text = lines
    lines = ''
    return text
  }
  const chunks: ChunkWriter = {
    start: flush(),
    eager: true,
    format(event) {
      draft.take(event)
      return flush()
    },
    formatFailure(error) {
      draft.fail(error)
      return flush()
    },
    get ended() {
      return draft.ended
    },
  }
  return { chunks, draft }
}

/** The error of a response that nobody reads to its end. */
export const abandoned = (): AgentError => fail('INTERRUPTED')
