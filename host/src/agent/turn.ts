import type {
  AssistantPart,
  Clock,
  Log,
  ModelMessage,
  ReasoningEffort,
  StopReason,
  ToolSpec,
  TurnEvent,
  TurnRequest,
  TurnStatus,
  Usage,
  WireError,
} from '@agent/plugin-sdk'
import { fail, fromWireError, toWireError } from '@agent/plugin-sdk/errors'
import type { Hooks } from '#kernel/hooks.ts'
import type { ChatModel } from '#models/open.ts'
import type { Step } from '#store/journal.ts'
import type { ToolTurn } from '#tools/tool-turn.ts'
import type { ToolView } from '#tools/toolbox.ts'
import { askModel } from './ask-model.ts'
import { runOpenCalls, runToolCalls } from './run-tool-calls.ts'
import { takeSteering } from './take-steering.ts'
import type { OpenStep } from './transcript.ts'

/** Where a turn writes down what it did, before and after doing it. */
export interface TurnRecord {
  /** Resolves when the step is on disk; a tool is not started before. */
  step(step: Step): Promise<void>
  /** The end of the turn: its messages and usage become part of the session. */
  finish(end: TurnEnd): Promise<void>
}

/** What a turn left behind. */
export interface TurnEnd {
  readonly text: string
  readonly status: TurnStatus
  readonly stop: StopReason
  /** Messages that the session gains; empty when nothing happened that is worth keeping. */
  readonly messages: readonly ModelMessage[]
  readonly usage: Usage
  readonly calls: number
  readonly error?: WireError
}

/** One turn, as a plain object. `messages`, `usage` and `calls` grow while it runs. */
export interface Turn {
  readonly id: string
  readonly session: string
  readonly request: TurnRequest
  readonly system: string
  readonly tools: readonly ToolSpec[]
  readonly model: ChatModel
  readonly reasoning: ReasoningEffort | undefined
  readonly messages: ModelMessage[]
  /** Index of the first message that belongs to this turn. */
  readonly from: number
  readonly maxSteps: number
  readonly apiTimeoutMs: number
  readonly signal: AbortSignal
  readonly toolbox: ToolView
  readonly toolTurn: ToolTurn
  readonly hooks: Hooks
  readonly clock: Clock
  readonly log: Log
  readonly record: TurnRecord
  /** A step that a crash cut in two: finished before the model is asked again. */
  readonly open?: OpenStep | undefined
  /** What people added since the last step. */
  readonly steer?: (() => Promise<readonly string[]>) | undefined
  readonly random: () => number
  usage: Usage
  calls: number
  emit(event: TurnEvent): void
}

/** Runs a turn to its end. Reads top to bottom; each phase is a file. */
export async function runTurn(turn: Turn): Promise<TurnEnd> {
  turn.emit({ type: 'message.start', turn: turn.id, session: turn.session, provider: turn.model.provider, model: turn.model.model })
  const end = await takeSteps(turn)
  await turn.record.finish(end)
  turn.emit({ type: 'usage', usage: turn.usage, calls: turn.calls })
  if (end.error)
    turn.emit({ type: 'error', error: end.error, text: fromWireError(end.error).message, retryable: isRetryable(end.error.code) })
  turn.emit({ type: 'message.complete', text: end.text, status: end.status, stop: end.stop })
  return end
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
