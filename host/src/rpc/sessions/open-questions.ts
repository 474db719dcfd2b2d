import type { Clock, TurnEvent } from '@agent/plugin-sdk'

export type AskedQuestion = Extract<TurnEvent, { type: 'approval.request' | 'clarify.request' }>

/** What the turns of a session have asked and nobody has answered yet. */
export interface SessionQuestions {
  ask(question: AskedQuestion): void
  find(id: string): AskedQuestion | undefined
  /** `answer`: what somebody said. False where it is over already. */
  close(id: string, answer?: string): boolean
  closeAll(): void
  isWaiting(): boolean
}

export interface SessionQuestionOptions {
  readonly clock: Pick<Clock, 'sleep'>
  /** How long a turn waits for an answer. */
  readonly timeoutMs: () => number
  readonly onClosed: (id: string, answer: string | undefined) => void
}

export function createQuestions({ clock, timeoutMs, onClosed }: SessionQuestionOptions): SessionQuestions {
  const asked = new Map<string, { readonly question: AskedQuestion; readonly over: AbortController }>()
  const close = (id: string, answer?: string): boolean => {
    const found = asked.get(id)
    if (!found) return false
    asked.delete(id)
    found.over.abort()
    onClosed(id, answer)
    return true
  }
  return {
    ask: (question) => {
      const over = new AbortController()
      asked.set(question.id, { question, over })
      clock.sleep(timeoutMs(), over.signal).then(
        () => close(question.id),
        () => undefined,
      )
    },
    find: (id) => asked.get(id)?.question,
    close,
    closeAll: () => {
      for (const id of [...asked.keys()]) close(id)
    },
    isWaiting: () => asked.size > 0,
  }
}
