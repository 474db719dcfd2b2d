import type { Call, ModelErrorClass, ModelEvent, ModelRequest, StopReason, Usage } from '@agent/plugin-sdk'
import { detailOf, type ErrorCode } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import { AgentRefusal } from './agent-process.ts'
import { chooseModel, listModels, type OpenedAgent, openSession } from './open-session.ts'
import { buildPrompt } from './prompt.ts'
import { openCallReader } from './read-calls.ts'
import { prompted, textContent } from './wire.ts'

export type { OpenedAgent } from './open-session.ts'

export interface AnswerOptions {
  readonly agent: () => Promise<OpenedAgent>
  /** What a person does to log in. */
  readonly login: string
  readonly provider: string
}

const loginNeeded = -32000

const stops: Readonly<Record<string, StopReason>> = { max_tokens: 'length', max_turn_requests: 'length', refusal: 'content-filter' }

/** One request in a session that ends with it. The last event is `end` or `failed`. */
export async function* answer(options: AnswerOptions, request: ModelRequest, call: Call): AsyncGenerator<ModelEvent, void> {
  const failed = (kind: ModelErrorClass, code: ErrorCode, detail: string): ModelEvent => ({
    type: 'failed',
    class: kind,
    error: { code, params: { provider: options.provider, detail } },
  })
  try {
    const opened = await options.agent()
    call.signal.throwIfAborted()
    const session = await openSession(opened)
    if (await chooseModel(opened, session, request.model)) yield* ask(opened, session.sessionId, request, call)
    else yield failed('model_not_found', 'MODEL_NOT_FOUND', `${request.model} is none of ${listModels(session).join(', ')}`)
  } catch (error) {
    if (call.signal.aborted) yield { type: 'failed', class: 'unknown', error: { code: 'INTERRUPTED', params: {} } }
    else if (error instanceof AgentRefusal && error.code === loginNeeded)
      yield failed('auth', 'MODEL_AUTH', `it is not logged in (${error.message}); ${options.login}`)
    else if (error instanceof AgentRefusal && error.code === undefined) yield failed('disconnected', 'MODEL_DISCONNECTED', error.message)
    else yield failed('server_error', 'MODEL_SERVER_ERROR', detailOf(error))
  }
}

async function* ask(
  { process, capabilities }: OpenedAgent,
  sessionId: string,
  request: ModelRequest,
  call: Call,
): AsyncGenerator<ModelEvent, void> {
  const reader = openCallReader(new Set(request.tools.map(({ name }) => name)), sessionId)
  const coming = openQueue()
  using _heard = process.onUpdate(sessionId, (kind, content) => {
    const said = z.safeParse(textContent, content)
    if (!said.success) return
    if (kind === 'agent_message_chunk') coming.push(reader.take(said.data.text))
    if (kind === 'agent_thought_chunk') coming.push([{ type: 'reasoning', delta: said.data.text }])
  })
  const cancel = (): void => {
    process.notify('session/cancel', { sessionId })
    coming.end()
  }
  call.signal.addEventListener('abort', cancel, { once: true })
  try {
    const prompt = buildPrompt(request, capabilities.promptCapabilities?.image === true)
    const done = process.request('session/prompt', { sessionId, prompt })
    done.then(coming.end, coming.end)
    for await (const events of coming.read()) yield* events
    call.signal.throwIfAborted()
    const { stopReason, usage } = prompted.parse(await done)
    yield* reader.finish()
    const reason = reader.hasCalls() ? 'tool-calls' : (stops[stopReason] ?? 'stop')
    yield { type: 'end', reason, usage: countUsage(usage ?? {}) }
    if (capabilities.sessionCapabilities?.close) process.request('session/close', { sessionId }).catch(() => undefined)
  } finally {
    call.signal.removeEventListener('abort', cancel)
  }
}

type Told = NonNullable<z.output<typeof prompted>['usage']>

/** Few agents tell it; what they do not tell is zero. Their `inputTokens` are those that were not cached. */
function countUsage({ inputTokens, outputTokens, thoughtTokens, cachedReadTokens, cachedWriteTokens }: Partial<Told>): Usage {
  const [read, written] = [cachedReadTokens ?? 0, cachedWriteTokens ?? 0]
  return {
    ...{ input: (inputTokens ?? 0) + read + written, output: outputTokens ?? 0 },
    ...{ cacheRead: read, cacheWrite: written, reasoning: thoughtTokens ?? 0 },
  }
}

interface Queue {
  push(events: readonly ModelEvent[]): void
  end(): void
  read(): AsyncIterable<readonly ModelEvent[]>
}

function openQueue(): Queue {
  let held: ModelEvent[] = []
  let isOver = false
  let wake = (): void => undefined
  return {
    push(events) {
      held.push(...events)
      wake()
    },
    end() {
      isOver = true
      wake()
    },
    async *read() {
      for (;;) {
        const taken = held
        held = []
        if (taken.length > 0) yield taken
        else if (isOver) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}
