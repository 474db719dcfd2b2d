import type { Clock, Log } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { dayOf, type Spent, type UsageLedger } from '#store/usage.ts'

/** How many tokens, in and out, may be taken in a day or a month: by everything, or by what comes through one door. */
export interface TokenBudget {
  readonly tokens: number
  readonly per: 'day' | 'month'
  readonly platform?: string | undefined
}

/** One model call: what it is thought to take stands in the book until it is known what it took. */
export interface Booking {
  /** Budgets of which four fifths are taken by now, a sentence each; said once. */
  readonly warnings: readonly string[]
  /** Resolves when it is written down; it never rejects. */
  settle(spent: Spent): Promise<void>
}

/** Writes down what model calls take, and lets none begin that would go beyond a budget. */
export interface Book {
  /** Rejects with BUDGET_SPENT unless `isAllowed`. `estimate` gives tokens, and is asked only where there is a budget. */
  open(source: string, estimate: () => number, isAllowed?: boolean): Promise<Booking>
}

export interface BookOptions {
  readonly usage: Pick<UsageLedger, 'add' | 'total'>
  readonly budgets: () => readonly TokenBudget[]
  readonly clock: Clock
  readonly log: Log
}

interface Reserved {
  readonly source: string
  readonly tokens: number
}

export function createBook({ usage, budgets, clock, log }: BookOptions): Book {
  /** Calls that run now. What they take is not in the ledger yet. */
  const running = new Set<Reserved>()
  const warned = new Set<string>()

  return {
    async open(source, estimate, isAllowed = false) {
      const counting = budgets().filter(({ platform }) => platform === undefined || platform === source)
      const days = counting.map(({ per }) => (per === 'day' ? dayOf(clock.now()) : `${dayOf(clock.now()).slice(0, 8)}01`))
      const written = await Promise.all(counting.map(({ platform }, at) => usage.total(days[at] ?? '', platform)))
      const entry: Reserved = { source, tokens: counting.length > 0 ? estimate() : 0 }
      // From here to the entry nothing waits: of calls that begin at once each sees those before it.
      const taken = counting.map(({ platform }, at) => (written[at] ?? 0) + sumOf(running, platform))
      const full = counting.findIndex(({ tokens }, at) => (taken[at] ?? 0) + entry.tokens > tokens)
      const spent = counting[full]
      if (spent && !isAllowed) throw fail('BUDGET_SPENT', { budget: nameOf(spent), taken: taken[full] ?? 0, needed: entry.tokens })
      running.add(entry)
      const warnings = counting.flatMap((budget, at) => warn(budget, `${nameOf(budget)} ${days[at]}`, (taken[at] ?? 0) + entry.tokens))
      return { warnings, settle: (took) => settle(entry, took) }
    },
  }

  function warn(budget: TokenBudget, key: string, taken: number): readonly string[] {
    if (taken < budget.tokens * 0.8 || warned.has(key)) return []
    warned.add(key)
    return [`${Math.floor((taken / budget.tokens) * 100)} % of the budget of ${nameOf(budget)} are taken.`]
  }

  async function settle(entry: Reserved, spent: Spent): Promise<void> {
    try {
      await usage.add([spent])
    } catch (error) {
      log.warn('what a model call took could not be written down', { error: detailOf(error) })
    } finally {
      running.delete(entry)
    }
  }
}

function sumOf(running: ReadonlySet<Reserved>, platform: string | undefined): number {
  let sum = 0
  for (const { source, tokens } of running) if (platform === undefined || platform === source) sum += tokens
  return sum
}

const nameOf = ({ tokens, per, platform }: TokenBudget): string =>
  `${tokens.toLocaleString('en-US')} tokens a ${per}${platform === undefined ? '' : ` for ${platform}`}`
