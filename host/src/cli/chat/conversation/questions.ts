import type { Clock, TurnEvent } from '@agent/plugin-sdk'

export type TurnQuestion = Extract<TurnEvent, { type: 'approval.request' | 'clarify.request' }>

/** What turns have asked and nobody has answered yet. */
export interface OpenQuestions {
  /** The oldest. */
  first(): TurnQuestion | undefined
  /** Milliseconds until nobody waits for the answer to the first any more. */
  left(): number
  /** Until it is answered, its turn is over, or its time is. */
  ask(question: TurnQuestion, turn: AbortSignal): void
  close(id: string): void
}

interface Asked {
  readonly question: TurnQuestion
  readonly until: number
  readonly over: AbortController
}

export interface QuestionOptions {
  readonly clock: Clock
  /** How long a turn waits for an answer. */
  readonly timeoutMs: () => number
  readonly onExpired: (question: TurnQuestion) => void
  readonly onChange: () => void
}

export function createQuestions({ clock, timeoutMs, onExpired, onChange }: QuestionOptions): OpenQuestions {
  const asked = new Map<string, Asked>()
  const first = (): Asked | undefined => asked.values().next().value
  const close = (id: string): boolean => {
    asked.get(id)?.over.abort()
    const wasThere = asked.delete(id)
    if (wasThere) onChange()
    return wasThere
  }
  return {
    first: () => first()?.question,
    left: () => Math.max(0, (first()?.until ?? 0) - clock.now()),
    ask: (question, turn) => {
      const over = new AbortController()
      asked.set(question.id, { question, until: clock.now() + timeoutMs(), over })
      turn.addEventListener('abort', () => close(question.id), { once: true })
      clock.sleep(timeoutMs(), over.signal).then(
        () => close(question.id) && onExpired(question),
        () => undefined,
      )
      onChange()
    },
    close: (id) => void close(id),
  }
}
