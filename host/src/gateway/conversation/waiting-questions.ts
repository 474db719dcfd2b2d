import type { Claim } from '#store/journal.ts'
import type { Question } from './question-text.ts'

export interface Open {
  /** Short, because it is part of what a button carries. */
  readonly id: string
  readonly claim: Claim
  readonly question: Question
}

/** A question of a running turn that nobody has answered yet. */
export interface WaitingQuestion {
  readonly id: string
  readonly type: 'approval' | 'clarify'
  readonly platform: string
  readonly conversation: string
  /** Who is asked. */
  readonly person: string
  readonly text: string
  readonly choices: readonly string[]
}

export interface WaitingQuestions {
  list(): readonly WaitingQuestion[]
  /** `late`: it waits no more. `unfit`: it has no such choice. */
  answer(id: string, value: string): Promise<'taken' | 'late' | 'unfit'>
}

/** The open questions of all conversations. */
export function createWaitingQuestions(open: ReadonlySet<Open>, give: (asked: Open, value: string) => Promise<boolean>): WaitingQuestions {
  return {
    list: () =>
      [...open].map(({ id, claim: { platform, message }, question: { type, text, choices } }) => ({
        ...{ id, type, platform, conversation: message.conversation.id, person: message.sender.id, text },
        choices: choices.map(({ value }) => value),
      })),
    async answer(id, value) {
      const asked = [...open].find((one) => one.id === id)
      if (!asked) return 'late'
      const { choices } = asked.question
      if (choices.length > 0 && !choices.some((choice) => choice.value === value)) return 'unfit'
      return (await give(asked, value)) ? 'taken' : 'late'
    },
  }
}
