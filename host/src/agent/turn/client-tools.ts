import type { ModelMessage, ToolOutcome } from '@agent/plugin-sdk'
import { callsOf } from './transcript.ts'
import type { CallPart } from './turn.ts'

/**
 * A caller that keeps the conversation itself knows nothing of the calls that the agent made beside its own and before.
 * Where its history shows a step that `known` has, the steps of the agent that led to it are put back, with their results.
 */
export function restoreSteps(history: readonly ModelMessage[], known: readonly ModelMessage[]): readonly ModelMessage[] {
  const { places, results } = indexSteps(known)
  const restored: ModelMessage[] = []
  const told = new Set<string>()
  let next = 0
  for (const message of history) {
    const calls = callsIn(message)
    // A caller may send one step in several messages: it was put back with the first of them.
    if (calls.length > 0 && calls.every(({ id }) => told.has(id))) continue
    const place = placeOf(calls, places)
    if (place === undefined || place < next) {
      restored.push(message)
      continue
    }
    const steps = known.slice(beginOfSteps(known, place, next), place + 1)
    for (const { id } of steps.flatMap(callsIn)) told.add(id)
    restored.push(...steps.flatMap((step) => withResults(step, results)))
    next = place + 1
  }
  return restored
}

interface StepIndex {
  /** Where in the list each call was made. */
  readonly places: ReadonlyMap<string, number>
  readonly results: ReadonlyMap<string, ToolOutcome>
}

function indexSteps(known: readonly ModelMessage[]): StepIndex {
  const places = new Map<string, number>()
  const results = new Map<string, ToolOutcome>()
  for (const [index, message] of known.entries()) {
    for (const { id } of callsIn(message)) places.set(id, index)
    if (message.role === 'tool') for (const result of message.results) results.set(result.id, result)
  }
  return { places, results }
}

const callsIn = (message: ModelMessage): readonly CallPart[] => (message.role === 'assistant' ? callsOf(message) : [])

function placeOf(calls: readonly CallPart[], places: ReadonlyMap<string, number>): number | undefined {
  for (const { id } of calls) if (places.has(id)) return places.get(id)
  return undefined
}

/** Back to what a person said, or to what was put back before. */
function beginOfSteps(known: readonly ModelMessage[], place: number, least: number): number {
  let begin = place
  while (begin > least && known[begin - 1]?.role !== 'user') begin--
  return begin
}

/** Results are found by their ids: turns that ran at the same time stand between each other in the store. */
function withResults(step: ModelMessage, results: ReadonlyMap<string, ToolOutcome>): readonly ModelMessage[] {
  if (step.role !== 'assistant') return []
  const had = callsOf(step).flatMap(({ id }) => results.get(id) ?? [])
  return had.length === 0 ? [step] : [step, { role: 'tool', results: had }]
}
