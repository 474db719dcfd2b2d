import { expect, test } from 'vitest'
import { validateConfig } from './validate.ts'

const problems = (value: object): readonly string[] =>
  validateConfig(value).misfits.map(({ path, problem }) => `${path.join('.')} ${problem}`)

test.each([
  [
    { budgets: [{ most: 5 }] },
    [
      'budgets.0.tokens is missing; it must be a number',
      'budgets.0.per is missing; it must be one of day, month',
      'budgets.0.most there is no such key',
    ],
  ],
  [{ budgets: [{ money: 0, per: 'day' }] }, ['budgets.0.money must be more than 0, not 0']],
  [{ budgets: ['much'] }, ['budgets.0 must be a section of keys and values, not the text "much"']],
  [{ fallback_providers: [{ provider: 'x' }] }, ['fallback_providers.0.model is missing; it must be text']],
  [{ platforms: { irc: { mention_patterns: 5 } } }, ['platforms.irc.mention_patterns must be text or a list of texts, not 5']],
])('%j: each thing that does not fit is named where it is', (value, said) => {
  expect(problems(value)).toEqual(said)
})
