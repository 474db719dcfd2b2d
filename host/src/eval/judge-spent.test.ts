import { expect, test } from 'vitest'
import { conversationSchema } from './conversation-schema.ts'
import { judgeSpent, type TriedCost } from './judge-spent.ts'

const spent: TriedCost = { calls: 3, requests: 4, seconds: 2.5, tokens: 900, money: 0.012_345, unpriced: [] }
const judge = (budget: object, more: Partial<TriedCost> = {}): readonly string[] =>
  judgeSpent({
    budget: conversationSchema.parse({ name: 'n', turns: [{ say: 'go' }], budget }).budget,
    spent: { ...spent, ...more },
    turn: 'turn 2 of 3',
    placeOf: (path) => `eval.yaml:${path.join('.')}`,
  })

test('a conversation within its budgets, to the last of them, or without any has no problems', () => {
  const { unpriced: _, ...most } = spent
  expect(judge(most)).toEqual([])
  expect(judge({ calls: 3 }, { unpriced: ['mine/large'] })).toEqual([])
  expect(judge({})).toEqual([])
})

test('each budget that is passed is told with how much it is', () => {
  const told = (what: string, most: string, took: string, over: string): string =>
    `eval.yaml:budget.${what}: the conversation may take ${most}, and after turn 2 of 3 it had taken ${took}, ${over} more`
  expect(judge({ calls: 0, requests: 1, seconds: 2.4, tokens: 899, money: 0.01 })).toEqual([
    told('calls', '0 calls of tools', '3', '3'),
    told('requests', '1 requests to models', '4', '3'),
    told('seconds', '2.4 seconds', '2.5', '0.1'),
    told('tokens', '899 tokens', '900', '1'),
    told('money', '$0.01', '$0.012345', '$0.002345'),
  ])
})

test('a budget in money does not hold where nobody knows a price', () => {
  expect(judge({ money: 5 }, { unpriced: ['mine/large', 'mine/small'] })).toEqual([
    'eval.yaml:budget.money: nobody knows the price of mine/large and mine/small; prices of config.yaml can say it',
  ])
})
