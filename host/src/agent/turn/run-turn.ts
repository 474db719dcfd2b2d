import type { AssistantPart, ModelMessage, StopReason, TurnStatus, WireError } from '@agent/plugin-sdk'
import { fail, fromWireError, toWireError } from '@agent/plugin-sdk/errors'
import { nameOf } from '#models/stand-ins.ts'
import type { TurnRows } from '#store/sessions.ts'
import { tokensOf } from '../context/fit-context.ts'
import { checkForm, correction } from './answer-form.ts'
import { askModel } from './ask-model.ts'
import { judgeCalls } from './judge-calls.ts'
import { runOpenCalls, runToolCalls, steeringMark } from './run-tool-calls.ts'
import type { CallPart, ModelAnswer, Turn, TurnEnd } from './turn.ts'

/** Runs a turn and gives back its end, which the caller writes down. Reads top to bottom; each phase is a file. */
export async function runTurn(turn: Turn): Promise<TurnEnd> {
  const { id, model, request } = turn
  // A session that nobody may write down cannot be gone on with by its id.
  const session = request.store === false ? '' : turn.session
  turn.emit({ type: 'message.start', turn: id, session, provider: model.provider, model: model.model })
  return takeSteps(turn)
}

/** The last events of a turn; they come when its end is written down. */
export function tellEnd({ emit }: Pick<Turn, 'emit'>, { usage, calls, error, text, status, stop, clientCalls }: TurnEnd): void {
  emit({ type: 'usage', usage, calls })
  if (error) emit({ type: 'error', error, text: fromWireError(error).message, retryable: isRetryable(error.code) })
  emit({ type: 'message.complete', text, status, stop, ...(clientCalls ? { calls: clientCalls } : {}) })
}

async function takeSteps(turn: Turn): Promise<TurnEnd> {
  try {
    if (turn.open) await runOpenCalls(turn, turn.open)
    let done: StepDone = {}
    for (let step = 0; step < turn.maxSteps; step++) {
      // A call of the model that is given up before it begins would count all the same.
      turn.signal.throwIfAborted()
      await takeSteering(turn)
      done = await takeStep(turn, done)
      if (done.end) return done.end
    }
    return endOf(turn, { text: '', status: 'max-iterations', error: toWireError(fail('ITERATIONS_EXHAUSTED', { limit: turn.maxSteps })) })
  } catch (error) {
    const wire = turn.signal.aborted ? toWireError(fail('INTERRUPTED')) : toWireError(error)
    if (failedStatus(wire.code) === 'failed') turn.log.error('a turn failed inside', { turn: turn.id, error: String(error) })
    return endOf(turn, { text: '', status: failedStatus(wire.code), error: wire })
  }
}

/** What a step came to: the end of the turn, or what the next step has to know. */
interface StepDone {
  readonly end?: TurnEnd
  /** The model missed what the request demands, and is told so. */
  readonly again?: readonly ModelMessage[]
  /** The output limit cut off a call. */
  readonly wasCut?: boolean
}

async function takeStep(turn: Turn, before: StepDone): Promise<StepDone> {
  const answer = await askModel(turn, before.again)
  const { text, failed } = answer
  if (failed) return { end: endOf(turn, { text, status: failedStatus(failed.code), error: failed }) }
  if (answer.calls.length === 0) return endOfAnswer(turn, answer, before)
  const judged = judgeCalls(turn, answer)
  const { parts, theirs, wasCut } = judged
  turn.messages.push({ role: 'assistant', parts })
  await runToolCalls(turn, judged)
  if (theirs.length > 0) return { end: endOf(turn, { text, status: 'complete', stop: 'tool-calls', theirs }) }
  // A model that was told why and meets the limit again would do so to the last step.
  return wasCut && before.wasCut ? { end: endOf(turn, { text, isKept: true, status: 'length', stop: 'length' }) } : { wasCut }
}

async function endOfAnswer(turn: Turn, answer: ModelAnswer, before: StepDone): Promise<StepDone> {
  const hasForm = turn.request.responseFormat !== undefined
  const formed = hasForm || turn.tools.forced ? await checkForm(turn, answer) : { ok: true as const, text: answer.text }
  if (!formed.ok) {
    if (!before.again) return { again: correction(answer, formed.problem) }
    return { end: endOf(turn, { text: '', status: 'failed', error: toWireError(fail('ANSWER_MISFORMED', { problem: formed.problem })) }) }
  }
  const { text } = formed
  const { stop, parts } = answer
  const told: readonly AssistantPart[] = [...parts.filter((part) => part.type === 'opaque'), { type: 'text', text }]
  turn.messages.push({ role: 'assistant', parts: hasForm ? told : parts })
  if (hasForm) turn.emit({ type: 'message.delta', text })
  // Some servers say that there are calls where there is none; a client would wait for them.
  return { end: endOf(turn, { text, status: stop === 'length' ? 'length' : 'complete', stop: stop === 'tool-calls' ? 'stop' : stop }) }
}

function failedStatus(code: string): TurnStatus {
  return code === 'INTERRUPTED' ? 'interrupted' : 'failed'
}

interface Ending {
  readonly text: string
  /** The text stands in a message of the turn already. */
  readonly isKept?: boolean
  readonly status: TurnStatus
  readonly stop?: StopReason
  readonly error?: WireError
  /** Calls that the caller is to run: the turn waits for it. */
  readonly theirs?: readonly CallPart[]
}

function endOf(turn: Turn, { text, isKept = false, status, stop = 'stop', error, theirs }: Ending): TurnEnd {
  const gained = gainedBy(turn)
  const other = nameOf(turn.model)
  const notes = other === turn.chosen || error ? turn.notes : [...turn.notes, `${other} answered, because the chosen model did not.`]
  const end = { text, status, stop, usage: turn.usage, calls: turn.calls, notes }
  if (theirs) return { messages: gained, clientCalls: theirs.map(({ id, name, args }) => ({ id, name, args })), ...end }
  const messages = closeTurn(gained, status, isKept ? '' : text)
  return error ? { messages, error, ...end } : { messages, ...end }
}

/** Roles alternate: a turn that ended early gets an assistant message that says so; one that did nothing leaves nothing. */
export function closeTurn(messages: readonly ModelMessage[], status: TurnStatus, text: string): readonly ModelMessage[] {
  const last = messages.at(-1)
  if (last?.role === 'assistant' && !last.parts.some((part) => part.type === 'call')) return messages
  if (messages.length <= 1 && text === '' && status === 'failed') return []
  const note = status === 'interrupted' ? '[interrupted]' : `[ended early: ${status}]`
  const parts: AssistantPart[] = [{ type: 'text', text: text === '' ? note : `${text}\n${note}` }]
  return [...messages, { role: 'assistant', parts }]
}

const endNote = /(?:^|\n)\[(?:(interrupted)|ended early: (failed|length|max-iterations))\]$/

/** The text of a stored answer without the note that says how it ended. */
export function readEnd(text: string): { readonly text: string; readonly status: TurnStatus } {
  const found = endNote.exec(text)
  return found ? { text: text.slice(0, found.index), status: (found[1] ?? found[2]) as TurnStatus } : { text, status: 'complete' }
}

const retryable = new Set([
  'MODEL_RATE_LIMIT',
  'MODEL_OVERLOADED',
  'MODEL_SERVER_ERROR',
  'MODEL_TIMEOUT',
  'MODEL_DISCONNECTED',
  'STORE_BUSY',
])

/** Whether the same request may well be answered later. */
export function isRetryable(code: string): boolean {
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
  const text = `${result.text}\n\n${steeringMark}\n${said.join('\n\n')}`
  turn.messages[turn.messages.length - 1] = { role: 'tool', results: [...last.results.slice(0, -1), { ...result, text }] }
}

/** The messages that the session gains by this turn so far. */
export function gainedBy({ begins, messages, from }: Pick<Turn, 'begins' | 'messages' | 'from'>): readonly ModelMessage[] {
  return [...begins, ...messages.slice(from)]
}

/** What is stored of how long a conversation is, and of how it was made shorter. */
export function lengthOf(
  turn: Pick<Turn, 'context'> & Parameters<typeof tokensOf>[0],
  from = 0,
): Pick<TurnRows, 'compressions' | 'context'> {
  const { gained, known } = turn.context
  const tokens = known && (turn.messages.length <= known.upTo ? known.tokens : tokensOf(turn))
  return { ...(gained.length > from ? { compressions: gained.slice(from) } : {}), ...(tokens === undefined ? {} : { context: tokens }) }
}
