import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import { newId } from '#kernel/ids.ts'

/** Questions that running turns have put to people. */
export interface Questions {
  /** Makes a question; `answer` resolves with what the person said, or rejects when time is up or the turn is interrupted. */
  open(options: { what: string; timeoutMs: number; signal: AbortSignal }): { id: string; answer: Promise<string> }
  /** False when nobody waits for this question any more. */
  answer(id: string, value: string): boolean
}

export function createQuestions(clock: Clock): Questions {
  const waiting = new Map<string, (value: string) => void>()
  return {
    open: ({ what, timeoutMs, signal }) => {
      const id = newId('ask')
      const limit = { clock, signal, ms: timeoutMs, what }
      const answer = withTimeLimit(limit, () => new Promise<string>((resolve) => void waiting.set(id, resolve)))
      return { id, answer: answer.finally(() => waiting.delete(id)) }
    },
    answer: (id, value) => {
      const resolve = waiting.get(id)
      resolve?.(value)
      return resolve !== undefined
    },
  }
}
