/** Where the gateway under attack listens, and what proves who one is. */
export interface Target {
  readonly api: number
  readonly callbacks: number
  readonly key: string
  readonly secret: string
}

/** What came back, in short: a status, or how the connection ended. Counts where there were many. */
export type Answers = Map<string, number>

export function count(answers: Answers, answer: string): void {
  answers.set(answer, (answers.get(answer) ?? 0) + 1)
}

export function formatAnswers(answers: Answers): string {
  return [...answers].map(([answer, times]) => (times === 1 ? answer : `${times} × ${answer}`)).join(', ')
}
