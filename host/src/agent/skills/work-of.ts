import type { ModelMessage } from '@agent/plugin-sdk'
import { type SpokenText, spokenIn } from '../review/spoken.ts'

/** What was said in a conversation, and what was done. */
export type WorkLine = SpokenText | { readonly call: string; readonly args: string; readonly outcome: 'done' | 'failed' | 'unknown' }

const longestArgs = 1_000

/** Calls are told with what came of them, and without what they gave: that holds the words of others. */
export function workOf(messages: readonly ModelMessage[]): readonly WorkLine[] {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  const outcomes = new Map(results.map(({ id, ok }) => [id, ok ? ('done' as const) : ('failed' as const)]))
  return messages.flatMap((message): readonly WorkLine[] => {
    const calls = callsIn([message]).map(
      ({ id, name, args }): WorkLine => ({ call: name, args: args.slice(0, longestArgs), outcome: outcomes.get(id) ?? 'unknown' }),
    )
    return [...spokenIn([message]), ...calls]
  })
}

interface CalledTool {
  readonly id: string
  readonly name: string
  readonly args: string
}

export function callsIn(messages: readonly ModelMessage[]): readonly CalledTool[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? message.parts.filter((part) => part.type === 'call') : []))
}
