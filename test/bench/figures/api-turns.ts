import { makeHome } from '../bench-home.ts'
import { type ChatClient, chatMany, createChatClient } from '../chat-client.ts'
import { startPlainProxy } from '../fake-model.ts'
import { type Figure, median, percentile, type Row } from '../figure.ts'
import { openGateway } from '../gateway-process.ts'

/** What a chat turn over the API costs beyond the model itself, one at a time and sixteen at a time. */
export const apiTurns: Figure = {
  name: 'api-turns',
  async measure(bench) {
    const model = await bench.model()
    await using gateway = await openGateway(bench, { home: makeHome(bench, 'api-turns', { model: model.url }) })
    await using proxy = await startPlainProxy(bench, model)
    using client = createChatClient()
    for (const { url } of [gateway, proxy, model]) await chatMany(client, url, { count: 500, concurrency: 16, signal: bench.signal })
    const overhead = await measureOverhead(client, { direct: model.url, proxy: proxy.url, gateway: gateway.url })
    const rounds: { gateway: number; proxy: number }[] = []
    for (let round = 0; round < 7; round++) {
      const many = { concurrency: 16, signal: bench.signal }
      rounds.push({
        proxy: await chatMany(client, proxy.url, { count: 2000, ...many }),
        gateway: await chatMany(client, gateway.url, { count: 1000, ...many }),
      })
    }
    return [...overhead, rateRow(rounds)]
  },
}

type Way = 'direct' | 'proxy' | 'gateway'

/** The same request by the same client straight to the model, through the plain relay and through the gateway, in turn. */
async function measureOverhead(client: ChatClient, ways: Readonly<Record<Way, string>>): Promise<readonly Row[]> {
  const times: Record<Way, number[]> = { direct: [], proxy: [], gateway: [] }
  for (let round = 0; round < 500; round++) {
    for (const way of ['direct', 'proxy', 'gateway'] as const) times[way].push(await client.chat(ways[way], `alone ${round}`))
  }
  return (
    [
      ['p50', 0.5, 2],
      ['p95', 0.95, 5],
    ] as const
  ).map(([name, part, budget]) => {
    const over = (way: Way): number => percentile(times[way], part) - percentile(times.direct, part)
    return {
      figure: `api-overhead-${name}`,
      budget: `≤ ${budget} ms`,
      floor: `+${over('proxy').toFixed(2)} ms plain proxy`,
      value: `+${over('gateway').toFixed(2)} ms`,
      ok: over('gateway') <= budget,
      note: `over ${percentile(times.direct, part).toFixed(2)} ms of the model's own`,
    }
  })
}

function rateRow(rounds: readonly { gateway: number; proxy: number }[]): Row {
  const share = median(rounds.map(({ gateway, proxy }) => gateway / proxy))
  return {
    figure: 'api-turns-per-second',
    budget: '≥ 40 % of plain proxy',
    floor: `${median(rounds.map(({ proxy }) => proxy)).toFixed(0)} /s plain proxy`,
    value: `${median(rounds.map(({ gateway }) => gateway)).toFixed(0)} /s (${(share * 100).toFixed(0)} %)`,
    ok: share >= 0.4,
    note: "concurrency 16; median of the rounds' own shares",
  }
}
