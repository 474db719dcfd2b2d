import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Call, Clock, ModelEvent, ModelRequest, Usage } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { Action, Answer } from './action.ts'

interface Stage {
  readonly request: ModelRequest
  readonly call: Call
  readonly clock: Clock
}

const interrupted: ModelEvent = { type: 'failed', class: 'unknown', error: { code: 'INTERRUPTED', params: {} } }

/** Plays an answer as a stream of events: words one by one, then calls, then the end. */
export async function* play(find: () => Answer | Promise<Answer>, stage: Stage): AsyncGenerator<ModelEvent, void> {
  try {
    yield* playAnswer(await find(), stage)
  } catch (error) {
    yield stage.call.signal.aborted ? interrupted : refuse('format_error', detailOf(error))
  }
}

async function* playAnswer({ actions, stop, usage }: Answer, stage: Stage): AsyncGenerator<ModelEvent, void> {
  let written = 0
  let calls = 0
  for (const action of actions) {
    if (action.type === 'call') calls += 1
    for await (const event of perform(action, stage, calls)) {
      written += lengthOf(event)
      yield event
      if (event.type === 'failed') return
    }
  }
  yield { type: 'end', reason: stop ?? (calls > 0 ? 'tool-calls' : 'stop'), usage: { ...estimate(stage.request, written), ...usage } }
}

async function* perform(action: Action, stage: Stage, count: number): AsyncGenerator<ModelEvent, void> {
  if (action.type === 'call') {
    yield { type: 'call', id: action.id ?? nameCall(stage.request, count), name: action.name, args: action.args }
    return
  }
  if (action.type === 'fail') {
    yield refuse(action.class, action.detail, action.retryAfterMs)
    return
  }
  const type = action.type === 'think' ? 'reasoning' : 'text'
  const everyMs = action.type === 'stream' ? action.everyMs : 0
  let index = 0
  for (const delta of action.type === 'stream' ? countTokens(action.tokens) : cutWords(action.text)) {
    if (everyMs > 0) await stage.clock.sleep(everyMs, stage.call.signal)
    // Without a turn of the event loop now and then, an interruption could not arrive.
    else if (index % 64 === 0) await nextTurn()
    stage.call.signal.throwIfAborted()
    index += 1
    yield { type, delta }
  }
}

function* countTokens(tokens: number): Generator<string> {
  for (let index = 1; index <= tokens; index += 1) yield index === tokens ? `offline-${index}` : `offline-${index} `
}

/** Words with the white space behind them; nothing is lost. */
function cutWords(text: string): readonly string[] {
  return text.match(/\s*\S+\s*/g) ?? (text === '' ? [] : [text])
}

/** The same conversation gives the same ids, and no id comes twice in it. */
function nameCall(request: ModelRequest, count: number): string {
  return `offline_${request.messages.length}_${count}`
}

export function refuse(kind: Extract<Action, { type: 'fail' }>['class'], detail: string, retryAfterMs?: number): ModelEvent {
  const error = { code: `MODEL_${kind.toUpperCase()}`.replace('MODEL_MODEL_', 'MODEL_'), params: { provider: 'offline', detail } }
  return { type: 'failed', class: kind, error: retryAfterMs === undefined ? error : { ...error, retryAfterMs } }
}

function lengthOf(event: ModelEvent): number {
  if (event.type === 'text' || event.type === 'reasoning') return event.delta.length
  return event.type === 'call' ? event.args.length : 0
}

/** Four characters count as a token. */
function estimate(request: ModelRequest, written: number): Usage {
  let read = request.system.length + (request.ephemeral?.length ?? 0)
  for (const message of request.messages) {
    const pieces = message.role === 'tool' ? message.results.map((result) => result.text) : message.parts.map(textLength)
    for (const piece of pieces) read += piece.length
  }
  return { input: Math.ceil(read / 4), output: Math.ceil(written / 4), cacheRead: 0, cacheWrite: 0, reasoning: 0 }
}

function textLength(part: { readonly type: string; readonly text?: string; readonly args?: string }): string {
  return part.text ?? part.args ?? ''
}
