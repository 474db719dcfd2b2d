/** What a provider is tried for. */
export const abilities = ['text', 'reasoning', 'calls', 'images', 'usage', 'cache', 'list', 'abort', 'errors', 'key'] as const
export type Ability = (typeof abilities)[number]

/** `yes`; `none`, where there is no such thing; `4 of 16`, where only some of it can be told apart; or what went wrong. */
export type Outcome = Readonly<Record<Ability, string>>

/** An interruption counts as slow by the clock of a quiet machine alone: the table tells it, and no test fails by it. */
export const slow = /^only after \d+ ms$/

export const isRight = (verdict: string): boolean => /^(yes|none|\d+ of \d+)$/.test(verdict)

/** What a test of a provider complains about. */
export const wrongIn = (outcome: Outcome): readonly string[] =>
  abilities
    .filter((ability) => !isRight(outcome[ability]) && !slow.test(outcome[ability]))
    .map((ability) => `${ability}: ${outcome[ability]}`)
