import type { AssistantPart, InputPart, ModelMessage, ToolOutcome, TurnRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Step } from '#store/journal.ts'
import { outcomeUnknown } from './run-tool-calls.ts'
import type { CallPart, OpenStep } from './turn.ts'

/** Where a turn begins. */
export interface Opening {
  /** What the model is told. */
  readonly messages: readonly ModelMessage[]
  /** The end of it that is new to the session. */
  readonly begins: readonly ModelMessage[]
}

/** Lays results and input over what was said before. */
export function openTurn(earlier: readonly ModelMessage[], { input, results = [] }: Pick<TurnRequest, 'input' | 'results'>): Opening {
  const user: readonly ModelMessage[] = input.length > 0 || results.length === 0 ? [{ role: 'user', parts: input }] : []
  if (results.length === 0) return { messages: [...mendTranscript(earlier), ...user], begins: user }
  const messages = mendTranscript([...earlier, { role: 'tool', results }])
  const claimed = claimedBy(messages.at(-1), results)
  if (claimed.length === 0 && user.length === 0) throw fail('RESULT_UNCLAIMED', { call: results[0]?.id ?? '' })
  const brought: readonly ModelMessage[] = claimed.length === 0 ? [] : [{ role: 'tool', results: claimed }]
  return { messages: [...messages, ...user], begins: [...brought, ...user] }
}

function claimedBy(last: ModelMessage | undefined, results: readonly ToolOutcome[]): readonly ToolOutcome[] {
  const open = new Map(last?.role === 'tool' ? last.results.map((result) => [result.id, result]) : [])
  return results.flatMap((result) => open.get(result.id) ?? [])
}

/**
 * Makes stored or foreign messages fit for a model: roles alternate, every call has a result and every result a call.
 * A call without a result was cut off by a crash; the model is told that its outcome is unknown.
 */
export function mendTranscript(messages: readonly ModelMessage[]): ModelMessage[] {
  const mended: Growing[] = []
  let open: readonly Extract<AssistantPart, { type: 'call' }>[] = []
  let results: ToolOutcome[] = []
  const close = (): void => {
    if (open.length > 0) mended.push({ role: 'tool', results: pair(open, results) })
    open = []
    results = []
  }
  for (const message of messages) {
    // The results of one step may come in several messages: the agent's own, and what a caller brings later.
    if (message.role === 'tool') for (const result of message.results) results.push(result)
    else {
      close()
      const once = message.role === 'assistant' ? withoutDoubles(message) : message
      append(mended, once)
      if (once.role === 'assistant') open = callsOf(once)
    }
  }
  close()
  return mended
}

/** A foreign history may hold a call twice: its result would be told twice, and some vendors refuse it. */
function withoutDoubles({ role, parts }: Extract<ModelMessage, { role: 'assistant' }>): Extract<ModelMessage, { role: 'assistant' }> {
  const seen = new Set<string>()
  return { role, parts: parts.filter((part) => part.type !== 'call' || (!seen.has(part.id) && seen.add(part.id))) }
}

/** The calls that an assistant message makes. */
export function callsOf(message: Extract<ModelMessage, { role: 'assistant' }>): readonly CallPart[] {
  return message.parts.filter((part) => part.type === 'call')
}

/** A message that takes in the next one of its role; never one of the caller's own. */
type Growing =
  | { readonly role: 'user'; readonly parts: InputPart[] }
  | { readonly role: 'assistant'; readonly parts: AssistantPart[] }
  | Extract<ModelMessage, { role: 'tool' }>

function pair(calls: readonly { readonly id: string; readonly name: string }[], results: readonly ToolOutcome[]): ToolOutcome[] {
  const known = new Map(results.map((result) => [result.id, result]))
  return calls.map((call) => ({ ...(known.get(call.id) ?? outcomeUnknown(call)), name: call.name }))
}

/** Two messages of one role in a row become one; a part that is added costs the same however many there are. */
function append(mended: Growing[], message: Exclude<ModelMessage, { role: 'tool' }>): void {
  const last = mended.at(-1)
  if (last?.role === 'user' && message.role === 'user') for (const part of message.parts) last.parts.push(part)
  else if (last?.role === 'assistant' && message.role === 'assistant') for (const part of message.parts) last.parts.push(part)
  else if (message.role === 'user') mended.push({ role: 'user', parts: [...message.parts] })
  else mended.push({ role: 'assistant', parts: [...message.parts] })
}

/**
 * The messages that a turn had made before a crash, from its journalled steps.
 * A call that was started and has no result is not run again unless `isReplaySafe` says so. One that an earlier crash cut off, before the steps
 * after it, has no result to this day: the model is told so again.
 */
export function replaySteps(
  steps: readonly Step[],
  isReplaySafe: (tool: string) => boolean,
): { messages: ModelMessage[]; open?: OpenStep } {
  const messages: ModelMessage[] = []
  let last: { calls: readonly CallPart[]; started: { id: string; name: string }[]; results: ToolOutcome[] } | undefined
  for (const step of steps) {
    if (step.type === 'tool.start') last?.started.push(step)
    else if (step.type === 'tool.done') last?.results.push(step.outcome)
    else if (step.type === 'model') {
      if (last && last.calls.length > 0) messages.push({ role: 'tool', results: pair(last.calls, last.results) })
      messages.push({ role: 'assistant', parts: step.parts })
      last = { calls: step.parts.filter((part) => part.type === 'call'), started: [], results: [...(step.refused ?? [])] }
    }
  }
  if (!last || last.calls.length === 0) return { messages }
  const { calls, started, results } = last
  const lost = started.filter((call) => !results.some((result) => result.id === call.id) && !isReplaySafe(call.name))
  // A start names the tool that ran; its result belongs to what the model called.
  const nameOf = new Map(calls.map(({ id, name }) => [id, name]))
  const unknown = lost.map((call) => ({ ...outcomeUnknown(call), name: nameOf.get(call.id) ?? call.name }))
  return { messages, open: { calls, results: [...results, ...unknown] } }
}
