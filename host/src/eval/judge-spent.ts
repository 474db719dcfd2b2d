import type { ConversationText } from './conversation-schema.ts'

/** What a conversation has taken so far, child agents and tasks beside it too. */
export interface TriedCost {
  /** Of tools, in its turns. */
  readonly calls: number
  /** To models. */
  readonly requests: number
  readonly seconds: number
  readonly tokens: number
  /** Dollars. */
  readonly money: number
  /** `provider/model` that nobody knows the price of. */
  readonly unpriced: readonly string[]
}

export interface JudgingSpent {
  readonly budget: ConversationText['budget']
  readonly spent: TriedCost
  /** Which of its turns is over, such as `turn 2 of 3`. */
  readonly turn: string
  /** `file:line` of a part of the conversation. */
  readonly placeOf: (path: readonly (string | number)[]) => string
}

const units = { calls: 'calls of tools', requests: 'requests to models', seconds: 'seconds', tokens: 'tokens' } as const
type Counted = keyof typeof units | 'money'
const counted: readonly Counted[] = ['calls', 'requests', 'seconds', 'tokens', 'money']

/** Which budgets of a conversation are passed, and by how much, a sentence each. */
export function judgeSpent({ budget, spent, turn, placeOf }: JudgingSpent): readonly string[] {
  return counted.flatMap((what) => {
    const most = budget[what]
    if (most === undefined) return []
    const place = placeOf(['budget', what])
    if (what === 'money' && spent.unpriced.length > 0)
      return [`${place}: nobody knows the price of ${spent.unpriced.join(' and ')}; prices of config.yaml can say it`]
    if (spent[what] <= most) return []
    const say = what === 'money' ? sayMoney : sayCount
    const over = say(spent[what] - most)
    return [`${place}: the conversation may take ${limitOf(what, most)}, and after ${turn} it had taken ${say(spent[what])}, ${over} more`]
  })
}

const limitOf = (what: Counted, most: number): string => (what === 'money' ? sayMoney(most) : `${sayCount(most)} ${units[what]}`)
const sayCount = (count: number): string => `${Number(count.toFixed(3))}`
const sayMoney = (dollars: number): string =>
  dollars.toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 6 })
