import type { ClientCall, HttpReply, TurnEvent, Usage } from '@agent/plugin-sdk'
import type { AgentError } from '@agent/plugin-sdk/errors'
import { turnFailureReply } from '../wire/failure.ts'
import { type AnswerHead, failureIn, finishReason, formatCalls, formatUsage, noResult, noUsage, type StreamOptions } from './outbound.ts'
import { learn, type TurnAbout, turnHeaders, unknownTurn } from './turn-headers.ts'

type End = Extract<TurnEvent, { type: 'message.complete' }>

/** What the events of a turn come to. */
interface Outcome {
  readonly usage: Usage
  /** The one that stood in. */
  readonly model: string | undefined
  readonly about: TurnAbout
  readonly reasoning: string
  readonly text: string
  readonly calls: readonly ClientCall[]
  readonly finish: ReturnType<typeof finishReason>
  readonly failure: AgentError | undefined
}

/** Waits for the whole turn and answers it as one chat completion. */
export async function completeTurn(
  events: AsyncIterable<TurnEvent>,
  head: AnswerHead,
  { showReasoning, custom }: Pick<StreamOptions, 'showReasoning' | 'custom'>,
): Promise<HttpReply> {
  const { usage, model, about, reasoning, text, calls, finish, failure } = await collect(events)
  if (failure && text === '') return turnFailureReply(failure)
  const message = {
    role: 'assistant',
    content: calls.length > 0 ? text || null : text,
    refusal: null,
    ...(calls.length > 0 ? { tool_calls: formatCalls(calls, custom) } : {}),
    ...(showReasoning && reasoning ? { reasoning_content: reasoning } : {}),
  }
  const partial = failure && { completed: false, partial: true, error: failure.message, error_code: failure.code.toLowerCase() }
  return {
    status: 200,
    headers: {
      'content-type': 'application/json',
      ...turnHeaders(about),
      ...(partial ? { 'x-agent-completed': 'false', 'x-agent-partial': 'true', 'x-should-retry': 'false' } : {}),
    },
    body: JSON.stringify({
      id: head.id,
      object: 'chat.completion',
      created: head.created,
      model: model ?? head.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
      usage: formatUsage(usage),
      ...(partial ? { agent: partial } : {}),
    }),
  }
}

async function collect(events: AsyncIterable<TurnEvent>): Promise<Outcome> {
  let usage = noUsage
  let about = unknownTurn
  let model: string | undefined
  let reasoning = ''
  let failure: AgentError | undefined
  let end: End | undefined
  for await (const event of events) {
    failure ??= failureIn(event)
    about = learn(about, event)
    switch (event.type) {
      case 'reasoning.delta':
        reasoning += event.text
        break
      case 'usage':
        usage = event.usage
        break
      case 'status':
        if (event.kind === 'fallback') model = event.model
        break
      case 'message.complete':
        end = event
    }
  }
  const finish = end ? finishReason(end.status, end.stop) : 'length'
  return {
    usage,
    model,
    about,
    reasoning,
    text: end?.text ?? '',
    calls: end?.calls ?? [],
    finish,
    failure: failure ?? (end ? undefined : noResult()),
  }
}
