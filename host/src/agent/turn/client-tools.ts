import type { ModelMessage, ToolOutcome } from '@agent/plugin-sdk'
import { callsOf } from './transcript.ts'

/**
 * A caller that keeps the conversation itself knows nothing of the calls that the agent made beside its own and before.
 * Where its history shows a step that `known` has, the steps of the agent that led to it are put back, with their results.
 */
export function restoreSteps(history: readonly ModelMessage[], known: readonly ModelMessage[]): readonly ModelMessage[] {
  const { places, results } = indexSteps(known)
  const restored: ModelMessage[] = []
  let next = 0
  for (const message of history) {
    const place = message.role === 'assistant' ? placeOf(message, places) : undefined
    if (place === undefined || place < next) {
      restored.push(message)
      continue
    }
    const steps = known.slice(beginOfSteps(known, place, next), place + 1)
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
    if (message.role === 'assistant') for (const { id } of callsOf(message)) places.set(id, index)
    if (message.role === 'tool') for (const result of message.results) results.set(result.id, result)
  }
  return { places, results }
}

type Assistant = Extract<ModelMessage, { role: 'assistant' }>

function placeOf(message: Assistant, places: ReadonlyMap<string, number>): number | undefined {
  for (const { id } of callsOf(message)) if (places.has(id)) return places.get(id)
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
