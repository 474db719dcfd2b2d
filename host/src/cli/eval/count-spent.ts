import type { OpenAgent } from '#agent/open-agent.ts'
import type { TriedCost } from '#eval/judge-spent.ts'
import { costOf, openPrices } from '#models/catalog/price-list.ts'

/** What models took since a day. In a home for one conversation that is all of what it took. Prices that rise count at their highest, as in budgets. */
export async function countSpent(agent: OpenAgent, day: string): Promise<Pick<TriedCost, 'requests' | 'tokens' | 'money' | 'unpriced'>> {
  const prices = openPrices(agent)
  const unpriced = new Set<string>()
  let [requests, tokens, cost] = [0, 0, 0]
  for (const { provider, model, usage, calls, day: on } of await agent.store.usage.since(day)) {
    requests += calls
    tokens += usage.input + usage.output
    const price = await prices.of(provider, model, on)
    if (price) cost += costOf(usage, price.long ?? price)
    else unpriced.add(`${provider}/${model}`)
  }
  return { requests, tokens, money: cost / 1e6, unpriced: [...unpriced] }
}
