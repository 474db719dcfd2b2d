import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
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
      const over = new AbortController()
      const answer = new Promise<string>((resolve, reject) => {
        waiting.set(id, resolve)
        clock
          .sleep(timeoutMs, AbortSignal.any([signal, over.signal]))
          .then(() => reject(fail('TIMED_OUT', { what, ms: timeoutMs })))
          .catch(() => reject(fail('INTERRUPTED')))
      }).finally(() => {
        waiting.delete(id)
        over.abort()
      })
      return { id, answer }
    },
    answer: (id, value) => {
      const resolve = waiting.get(id)
      resolve?.(value)
      return resolve !== undefined
    },
  }
}
