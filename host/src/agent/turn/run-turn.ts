import type { AssistantPart, ModelMessage, StopReason, TurnStatus, WireError } from '@agent/plugin-sdk'
import { fail, fromWireError, toWireError } from '@agent/plugin-sdk/errors'
import { askModel } from './ask-model.ts'
import { runOpenCalls, runToolCalls } from './run-tool-calls.ts'
import type { Turn, TurnEnd } from './turn.ts'

/** Runs a turn and gives back its end, which the caller writes down. Reads top to bottom; each phase is a file. */
export async function runTurn(turn: Turn): Promise<TurnEnd> {
  turn.emit({ type: 'message.start', turn: turn.id, session: turn.session, provider: turn.model.provider, model: turn.model.model })
  return takeSteps(turn)
}

/** The last events of a turn; they come when its end is written down. */
export function tellEnd({ emit }: Pick<Turn, 'emit'>, { usage, calls, error, text, status, stop }: TurnEnd): void {
  emit({ type: 'usage', usage, calls })
  if (error) emit({ type: 'error', error, text: fromWireError(error).message, retryable: isRetryable(error.code) })
  emit({ type: 'message.complete', text, status, stop })
}

async function takeSteps(turn: Turn): Promise<TurnEnd> {
  try {
    if (turn.open) await runOpenCalls(turn, turn.open)
    for (let step = 0; step < turn.maxSteps; step++) {
      await takeSteering(turn)
      const answer = await askModel(turn)
      if (answer.failed) return endOf(turn, { text: answer.text, status: failedStatus(answer.failed.code), error: answer.failed })
      turn.messages.push({ role: 'assistant', parts: answer.parts })
      if (answer.calls.length === 0)
        return endOf(turn, { text: answer.text, status: answer.stop === 'length' ? 'length' : 'complete', stop: answer.stop })
      await runToolCalls(turn, answer)
    }
    return endOf(turn, { text: '', status: 'max-iterations', error: toWireError(fail('ITERATIONS_EXHAUSTED', { limit: turn.maxSteps })) })
  } catch (error) {
    const wire = turn.signal.aborted ? toWireError(fail('INTERRUPTED')) : toWireError(error)
    if (failedStatus(wire.code) === 'failed') turn.log.error('a turn failed inside', { turn: turn.id, error: String(error) })
    return endOf(turn, { text: '', status: failedStatus(wire.code), error: wire })
  }
}

function failedStatus(code: string): TurnStatus {
  return code === 'INTERRUPTED' ? 'interrupted' : 'failed'
}

interface Ending {
  readonly text: string
  readonly status: TurnStatus
  readonly stop?: StopReason
  readonly error?: WireError
}

function endOf(turn: Turn, { text, status, stop = 'stop', error }: Ending): TurnEnd {
  const messages = closeTurn(turn.messages.slice(turn.from), status, text)
  const end = { text, status, stop, messages, usage: turn.usage, calls: turn.calls }
  return error ? { ...end, error } : end
}

/** Roles alternate: a turn that ended early gets an assistant message that says so; one that did nothing leaves nothing. */
function closeTurn(messages: readonly ModelMessage[], status: TurnStatus, text: string): readonly ModelMessage[] {
  const last = messages.at(-1)
  if (last?.role === 'assistant' && !last.parts.some((part) => part.type === 'call')) return messages
  if (messages.length <= 1 && text === '' && status === 'failed') return []
  const note = status === 'interrupted' ? '[interrupted]' : `[ended early: ${status}]`
  const parts: AssistantPart[] = [{ type: 'text', text: text && last?.role !== 'tool' ? `${text}\n${note}` : note }]
  return [...messages, { role: 'assistant', parts }]
}

const retryable = new Set([
  'MODEL_RATE_LIMIT',
  'MODEL_OVERLOADED',
  'MODEL_SERVER_ERROR',
  'MODEL_TIMEOUT',
  'MODEL_DISCONNECTED',
  'STORE_BUSY',
])

function isRetryable(code: string): boolean {
  return retryable.has(code)
}

/**
 * Lets the model hear what a person added while it worked. Roles alternate, so the words stand at the end of the last result,
 * marked as the person's own.
 */
export async function takeSteering(turn: Pick<Turn, 'messages' | 'steer'>): Promise<void> {
  const last = turn.messages.at(-1)
  if (!turn.steer || last?.role !== 'tool') return
  const result = last.results.at(-1)
  if (!result) return
  const said = await turn.steer()
  if (said.length === 0) return
  const text = `${result.text}\n\n[The person you work for adds, while you work:]\n${said.join('\n\n')}`
  turn.messages[turn.messages.length - 1] = { role: 'tool', results: [...last.results.slice(0, -1), { ...result, text }] }
}
