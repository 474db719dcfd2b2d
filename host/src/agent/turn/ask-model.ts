import type {
  AssistantPart,
  ModelErrorClass,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  StopReason,
  Usage,
  WireError,
} from '@agent/plugin-sdk'
import { type AgentError, fail, fromWireError, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { createCall } from '#kernel/calls/call.ts'
import type { Booking, Planned } from '#models/book.ts'
import { allowLess, findRefused, repairRequest, type SpareField, withoutFields } from '#models/repair.ts'
import { mayBeShorter, mayStandIn, retryDelay } from '#models/retry.ts'
import { nameOf } from '#models/stand-ins.ts'
import { createTally, estimateInput, hearing, type Tally, type Took } from '#models/tally.ts'
import { fillSession } from '#skills/view-skill.ts'
import { addUsage } from '#store/usage.ts'
import { heardBy } from '../context/fit-context.ts'
import { askToGoOn, mayEndWith, withoutRepeats } from './seam.ts'
import { createStopper, type Stopper } from './stop-words.ts'
import type { CallPart, ModelAnswer, Turn } from './turn.ts'

interface Attempt {
  readonly parts: AssistantPart[]
  text: string
  /** How much of the text is in the parts. */
  closed: number
  stop: StopReason
  usage: Usage
  /** When the first part of it came. */
  firstAt?: number
  /** It ended well, and there was nothing in it. */
  isEmpty?: true
  failed?: { readonly class: ModelErrorClass; readonly error: WireError }
}

/** What of the answer people have read already. */
interface Before {
  readonly said: string
  /** It went on with nothing the last time. */
  readonly mayBeDone: boolean
}

/**
 * Asks the model for its next step; waits and asks again, or asks another one, where the failure allows it. What people have begun to read
 * is gone on with.
 */
export async function askModel(turn: Turn, again: readonly ModelMessage[] = []): Promise<ModelAnswer> {
  let said = ''
  let mayBeDone = false
  await turn.fit.fit(turn)
  let request = await buildRequest(turn, again)
  for (let attempt = 1; ; attempt++) {
    const { model } = turn
    const entry = await openEntry(turn, request)
    if (turn.model !== model) request = await buildRequest(turn, [...again, ...askToGoOn(said)])
    const result = joined(said, await streamBooked(turn, request, { said, entry, mayBeDone }))
    if (!result.failed) return noted(turn, finished(result))
    const { next, repaired } = await recover(turn, { failed: result.failed, request, attempt, entry })
    if (next === 'never') return { ...finished(result), failed: result.failed.error }
    if (next === 'another') attempt = 0
    const before = said
    mayBeDone = mayHaveEnded(result, said)
    said = shownOf(turn, result)
    const isSame = next === 'again' && said === before
    request = isSame ? (repaired ?? request) : await buildRequest(turn, [...again, ...askToGoOn(said)])
  }
}

/** What must have a form is not shown before it is checked. */
const shownOf = ({ request }: Turn, { text }: Attempt): string => (request.responseFormat ? '' : text)

/** It may have nothing to add, or its service is not well: that is told apart by asking once more. */
const mayHaveEnded = ({ isEmpty }: Attempt, said: string): boolean => isEmpty === true && mayEndWith(said)

/** What the service says about the length of this request holds for the next one too. */
function noted(turn: Turn, answer: ModelAnswer): ModelAnswer {
  const { input, output, reasoning } = answer.usage
  // Some services say nothing; then all of it is estimated each time.
  if (input > 0) turn.context.known = { tokens: input + output - reasoning, upTo: turn.messages.length + 1 }
  return answer
}

interface Failure {
  readonly failed: NonNullable<Attempt['failed']>
  readonly request: ModelRequest
  readonly attempt: number
  readonly entry: Booking
}

/** What is done about a failure, and the request as it may pass now. */
async function recover(
  turn: Turn,
  { failed, request, attempt, entry }: Failure,
): Promise<{ readonly next: 'again' | 'another' | 'shorter' | 'never'; readonly repaired?: ModelRequest | undefined }> {
  if (await isShorterNow(turn, failed)) return { next: 'shorter' }
  const sent = asSent(turn, request, entry)
  const refused = findRefused(failed, sent)
  if (refused) turn.refused = { by: turn.model, fields: [...refusedBy(turn), refused] }
  const repaired = refused ? request : (repairRequest(failed, withoutFields(refusedBy(turn), request)) ?? allowLess(failed, sent, entry))
  const next = await tryOn(turn, failed, attempt, repaired !== undefined)
  // The one that stands in may take less.
  if (next === 'another') await turn.fit.fit(turn)
  return { next, repaired }
}

async function isShorterNow(turn: Turn, failed: NonNullable<Attempt['failed']>): Promise<boolean> {
  return mayBeShorter(failed.class) && !turn.signal.aborted && (await turn.fit.refused(turn, failed))
}

/**
 * Books the call before it is made. Where a budget is spent, a person who is there may let this turn go beyond it; where nobody is, the next
 * model of the chain that still fits into it answers.
 */
async function openEntry(turn: Turn, request: ModelRequest): Promise<Booking> {
  try {
    return await book(turn, request)
  } catch (error) {
    if (!isAgentError(error, 'BUDGET_SPENT') || turn.isBudgetLifted) throw error
    if (!turn.request.canAnswer) return await bookForAnother(turn, request, error)
    const question = { question: `${error.message} Go on for this message?`, choices: ['go on', 'stop'] }
    // Who does not answer in time has not allowed it.
    const answer = await turn.toolTurn.ask(question).catch(() => '')
    if (answer.trim().toLowerCase() !== 'go on') throw error
    turn.isBudgetLifted = true
    return await book(turn, request)
  }
}

async function book(turn: Turn, request: ModelRequest): Promise<Booking> {
  const estimate = (): ReturnType<Planned['estimate']> => ({
    input: estimateInput(request),
    output: request.maxOutputTokens,
  })
  const { provider, model } = turn.model
  const entry = await turn.book.open({ provider, model, estimate, ...turn.payer }, turn.isBudgetLifted)
  for (const text of entry.warnings) {
    turn.notes.push(text)
    turn.emit({ type: 'status', kind: 'notice', text })
  }
  return entry
}

/** A server of one's own costs nothing, and a small model little: the first that fits answers. Throws what was wrong where none does. */
async function bookForAnother(turn: Turn, request: ModelRequest, spent: AgentError): Promise<Booking> {
  const before = turn.model
  for (let next = await turn.standIns.next(); next; next = await turn.standIns.next()) {
    turn.model = next
    try {
      const entry = await book(turn, request)
      tellOfAnother(turn, spent.message)
      return entry
    } catch (error) {
      if (!isAgentError(error, 'BUDGET_SPENT') && !isAgentError(error, 'PRICE_UNKNOWN')) throw error
    }
  }
  turn.model = before
  throw spent
}

/** Waits until the model may be asked again, or lets another one answer. */
async function tryOn(
  turn: Turn,
  failed: NonNullable<Attempt['failed']>,
  attempt: number,
  isRepaired: boolean,
): Promise<'again' | 'another' | 'never'> {
  if (turn.signal.aborted) return 'never'
  const { class: kind, error } = failed
  const failure = { class: kind, code: error.code, hasStandIn: turn.standIns.hasMore(), ...retryAfter(error) }
  const delay = isRepaired ? 0 : retryDelay(failure, attempt, turn.random)
  if (delay === null) return (await standIn(turn, failed)) ? 'another' : 'never'
  turn.emit({ type: 'status', kind: 'retry', text: `${fromWireError(error).message} Trying again in ${formatDelay(delay)}.` })
  await turn.clock.sleep(delay, turn.signal)
  return 'again'
}

/** Lets the next model of the chain answer the rest of this turn, and says so. */
async function standIn(turn: Turn, { class: kind, error }: NonNullable<Attempt['failed']>): Promise<boolean> {
  if (!mayStandIn({ class: kind, code: error.code })) return false
  const before = turn.model
  const next = await turn.standIns.next()
  if (!next) return false
  if (error.retryAfterMs !== undefined) turn.fallback.rest(before, error.retryAfterMs)
  turn.model = next
  tellOfAnother(turn, fromWireError(error).message)
  return true
}

function tellOfAnother(turn: Turn, why: string): void {
  const model = nameOf(turn.model)
  turn.emit({ type: 'status', kind: 'fallback', text: `${why} ${model} answers instead.`, model })
}

const refusedBy = ({ model, refused }: Turn): readonly SpareField[] => (refused?.by === model ? refused.fields : [])

/** Under a budget with the limit of its answer, and without what the service has refused to be told. */
function asSent(turn: Turn, request: ModelRequest, { mostOutput }: Booking): ModelRequest {
  const limited = mostOutput === undefined ? request : { ...request, maxOutputTokens: mostOutput }
  return withoutFields(refusedBy(turn), limited)
}

/** Whatever ends the call, what is booked for it is settled: it would count until the next start. */
async function streamBooked(turn: Turn, asked: ModelRequest, { entry, ...before }: Before & { readonly entry: Booking }): Promise<Attempt> {
  const { mostOutput } = entry
  const request = asSent(turn, asked, entry)
  const tally = createTally(request)
  const startedAt = turn.clock.now()
  try {
    const attempt = await streamOnce(turn, request, { tally, ...before })
    attempt.usage = tally.took().usage
    tellHooks(turn, attempt, startedAt)
    if (attempt.stop === 'length' && mostOutput !== undefined && request.maxOutputTokens === mostOutput) tellOfLimit(turn, mostOutput)
    return attempt
  } finally {
    count(turn, tally.took(), entry)
  }
}

function tellOfLimit(turn: Turn, mostOutput: number): void {
  const text = `A budget gave this answer ${mostOutput.toLocaleString('en-US')} tokens: with more left of it, answers can be longer.`
  turn.notes.push(text)
  turn.emit({ type: 'status', kind: 'notice', text })
}

/** Nobody waits for those who watch. */
function tellHooks({ hooks, clock, id: turn, session, request, model: asked }: Turn, attempt: Attempt, startedAt: number): void {
  if (!hooks.has('model.end')) return
  const { usage, stop, failed, firstAt } = attempt
  const { provider, model } = asked
  const durationMs = clock.now() - startedAt
  const firstTokenMs = firstAt === undefined ? null : firstAt - startedAt
  const [source, error] = [request.source, failed?.error.code ?? null]
  void hooks.call('model.end', { turn, session, source, provider, model, usage, stop, durationMs, firstTokenMs, error })
}

async function streamOnce(
  turn: Turn,
  request: ModelRequest,
  { said, mayBeDone, tally }: Before & { readonly tally: Tally },
): Promise<Attempt> {
  const attempt: Attempt = { parts: [], text: '', closed: 0, stop: 'stop', usage: noUsage }
  const words = turn.request.stop && createStopper(turn.request.stop)
  const streamed = turn.model.stream(request, createCall(turn.signal, turn.apiTimeoutMs))
  const filtered = filterEvents(streamed, { said, words, tally })
  for await (const event of filtered ?? streamed) {
    if (!filtered) tally.hear(event)
    if (event.type !== 'failed') attempt.firstAt ??= turn.clock.now()
    take(turn, attempt, event)
    const room = turn.room?.()
    if (!room) continue
    await room
    if (turn.signal.aborted) break
  }
  if (turn.signal.aborted) attempt.failed = { class: 'unknown', error: toWireError(fail('INTERRUPTED')) }
  else if (!attempt.failed && attempt.parts.length === 0 && !mayBeDone && !words?.stopped) {
    attempt.isEmpty = true
    attempt.failed = {
      class: 'server_error',
      error: toWireError(fail('MODEL_SERVER_ERROR', { provider: turn.model.provider, detail: 'the answer was empty' })),
    }
  }
  return attempt
}

/** Without what is said once more and what comes after a stop, which the tally hears all the same; undefined where nothing can be left out. */
function filterEvents(
  streamed: AsyncIterable<ModelEvent>,
  { said, words, tally }: { readonly said: string; readonly words: Stopper | undefined; readonly tally: Tally },
): AsyncIterable<ModelEvent> | undefined {
  if (said === '' && words === undefined) return undefined
  const heard = hearing(tally, streamed)
  const events = said === '' ? heard : withoutRepeats(said, heard)
  return words?.read(events) ?? events
}

async function buildRequest(turn: Turn, again: readonly ModelMessage[]): Promise<ModelRequest> {
  const { request } = turn
  // A copy of the list: the turn's own grows while the provider may still read this one.
  const messages = [...heardBy(turn), ...again]
  const model: ModelRequest = {
    model: turn.model.model,
    system: turn.system,
    messages: messages.some(hasPicture) ? await turn.hidePictures(messages, turn.model) : messages,
    tools: turn.tools.specs,
    session: turn.session,
    ...(turn.isPublic ? { isPublic: true } : {}),
    ...(request.instructions === undefined ? {} : { ephemeral: fillSession(request.instructions, turn.session) }),
    ...(turn.reasoning === undefined ? {} : { reasoning: turn.reasoning }),
    ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.toolChoice === undefined || request.toolChoice === 'auto' ? {} : { toolChoice: request.toolChoice }),
  }
  if (!turn.hooks.has('model.request')) return model
  const payload = { turn: turn.id, session: turn.session, provider: turn.model.provider, request: model }
  return (await turn.hooks.call('model.request', payload)).request
}

function hasPicture(message: ModelMessage): boolean {
  return message.role === 'user' && message.parts.some(({ type }) => type === 'image')
}

function take(turn: Turn, attempt: Attempt, event: ModelEvent): void {
  switch (event.type) {
    case 'text': {
      attempt.text += event.delta
      // What must have a form is shown when it has been checked.
      if (!turn.request.responseFormat) turn.emit({ type: 'message.delta', text: event.delta })
      break
    }
    case 'reasoning': {
      turn.emit({ type: 'reasoning.delta', text: event.delta })
      break
    }
    case 'call': {
      closeText(attempt)
      attempt.parts.push({ type: 'call', id: event.id, name: event.name, args: event.args })
      break
    }
    case 'opaque': {
      closeText(attempt)
      attempt.parts.push({ type: 'opaque', provider: turn.model.provider, data: event.data })
      break
    }
    case 'end': {
      closeText(attempt)
      attempt.stop = event.reason
      break
    }
    case 'failed': {
      attempt.failed = { class: event.class, error: event.error }
      break
    }
  }
}

/** Text gathered since the last other part becomes a separate part, so that order is kept. */
function closeText(attempt: Attempt): void {
  if (attempt.text.length > attempt.closed) attempt.parts.push({ type: 'text', text: attempt.text.slice(attempt.closed) })
  attempt.closed = attempt.text.length
}

/** What was said before and goes on here, as one text. */
function joined(said: string, attempt: Attempt): Attempt {
  if (said === '') return attempt
  const [first, ...rest] = attempt.parts
  const begin: AssistantPart = { type: 'text', text: said + (first?.type === 'text' ? first.text : '') }
  return { ...attempt, text: said + attempt.text, parts: [begin, ...(first?.type === 'text' ? rest : attempt.parts)] }
}

function finished(attempt: Attempt): ModelAnswer {
  const calls = attempt.parts.filter((part): part is CallPart => part.type === 'call')
  return { parts: attempt.parts, calls, text: attempt.text, stop: attempt.stop, usage: attempt.usage }
}

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

function count(turn: Turn, { usage, isEstimated }: Took, entry: Booking): void {
  const { provider, model } = turn.model
  turn.usage = addUsage(turn.usage, usage)
  turn.calls++
  turn.booked.push(entry.settle({ provider, model, usage, calls: 1, ...turn.payer, ...(isEstimated ? { estimated: 1 } : {}) }))
}

function retryAfter(error: WireError): { retryAfterMs?: number } {
  return error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }
}

function formatDelay(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`
}
