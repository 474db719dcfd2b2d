import { makeHome } from '../bench-home.ts'
import { type ChatClient, chatMany, createChatClient, type ManyOptions } from '../chat-client.ts'
import { startPlainProxy } from '../fake-model.ts'
import { type Figure, median, percentile, type Row } from '../figure.ts'
import { openGateway } from '../gateway-process.ts'
import { processorSeconds } from '../processes.ts'

/** What a chat turn over the API costs beyond the model itself, one at a time and sixteen at a time. */
export const apiTurns: Figure = {
  name: 'api-turns',
  async measure(bench) {
    const model = await bench.model()
    await using gateway = await openGateway(bench, { home: makeHome(bench, 'api-turns', { model: model.url }) })
    await using proxy = await startPlainProxy(bench, model)
    using client = createChatClient()
    for (const { url } of [gateway, proxy, model]) await chatMany(client, url, { ...warmUp, concurrency: 16, signal: bench.signal })
    const { rows: overhead, relayMs } = await measureOverhead(client, { direct: model.url, proxy: proxy.url, gateway: gateway.url })
    const rounds: Record<'gateway' | 'proxy', Round>[] = []
    for (let round = 0; round < 15; round++) {
      const options = { ms: 700, concurrency: 16, signal: bench.signal }
      rounds.push({ proxy: await measureRate(client, proxy, options), gateway: await measureRate(client, gateway, options) })
    }
    const budget = budgetOf(median(rounds.map(({ proxy }) => proxy.processor)), relayMs)
    return [...overhead, rateRow(rounds, budget.share), processorRow(rounds, budget.processor)]
  },
}

/**
 * What V8 compiles at first counts in neither of both: its threads took 28 % of the processor of a gateway that had answered 1,000 turns, and 12 % of one
 * that had answered 6,000, and on a slow machine fewer turns share it.
 */
export const warmUp = { count: 6000, ms: 15_000 }

/**
 * What a plain relay takes on a machine that rests, at most: microseconds of the processor for a chat among sixteen (365 to 380, and 405 to 890 beside
 * other work), and milliseconds that it adds to a chat alone (0.17; 2.0 on a machine where it took 370 µs and an empty Node 92 ms).
 */
const resting = { processor: 400, alone: 0.34 }

/**
 * How many times the processor of a plain relay a turn may cost, and which share of its rate is to be kept. Who else works on a machine shares its
 * caches, and a turn, which touches more memory than a relay, loses more by that: 1.96 to 1.99 times at rest, 2.0 to 2.75 beside other work.
 */
const budgets = { atRest: { processor: 2.2, share: 0.4 }, busy: { processor: 2.6, share: 0.35 } }

function budgetOf(relayProcessor: number, relayMs: number): { readonly processor: number; readonly share: number } {
  return relayProcessor <= resting.processor && relayMs <= resting.alone ? budgets.atRest : budgets.busy
}

/** What a plain relay costs on the machine that the budgets were written for, in milliseconds. */
const referenceRelayMs = 0.17

type Way = 'direct' | 'proxy' | 'gateway'

/** The same request by the same client straight to the model, through the plain relay and through the gateway, in turn. */
async function measureOverhead(
  client: ChatClient,
  ways: Readonly<Record<Way, string>>,
): Promise<{ readonly rows: readonly Row[]; readonly relayMs: number }> {
  const times: Record<Way, number[]> = { direct: [], proxy: [], gateway: [] }
  const startedAt = performance.now()
  for (let round = 0; round < 500 && performance.now() - startedAt < 15_000; round++) {
    for (const way of ['direct', 'proxy', 'gateway'] as const) times[way].push(await client.chat(ways[way], `alone ${round}`))
  }
  const overAt = (part: number, way: Way): number => percentile(times[way], part) - percentile(times.direct, part)
  const parts = [
    ['p50', 0.5, 2],
    ['p95', 0.95, 5],
  ] as const
  const rows = parts.map(([name, part, budget]) => {
    const over = (way: Way): number => overAt(part, way)
    // Where a plain relay alone costs more than on the reference machine, what counts is what comes on top of it.
    const slow = over('proxy') > referenceRelayMs
    return {
      figure: `api-overhead-${name}`,
      budget: `≤ ${budget} ms`,
      floor: `+${over('proxy').toFixed(2)} ms plain proxy`,
      value: `+${over('gateway').toFixed(2)} ms`,
      ok: over('gateway') - (slow ? over('proxy') : 0) <= budget,
      note: `over ${percentile(times.direct, part).toFixed(2)} ms of the model's own; ${(over('gateway') - over('proxy')).toFixed(2)} ms over the plain relay${slow ? ', which is what is judged on this machine' : ''}`,
    }
  })
  return { rows, relayMs: overAt(0.5, 'proxy') }
}

interface Round {
  readonly perSecond: number
  /** Microseconds of processor that the server used for a chat; they say more than the clock on a machine that is busy with other things. */
  readonly processor: number
}

async function measureRate(client: ChatClient, server: { url: string; pid: number }, options: ManyOptions): Promise<Round> {
  const before = processorSeconds(server.pid)
  const { done, perSecond } = await chatMany(client, server.url, options)
  return { perSecond, processor: ((processorSeconds(server.pid) - before) * 1e6) / done }
}

/** Both are counted in processor time, in the same seconds. */
function processorRow(rounds: readonly Record<'gateway' | 'proxy', Round>[], budget: number): Row {
  const middle = (way: 'gateway' | 'proxy'): number => median(rounds.map((round) => round[way].processor))
  const times = median(rounds.map(({ gateway, proxy }) => gateway.processor / proxy.processor))
  return {
    figure: 'api-turn-processor',
    budget: `≤ ${budget} × plain proxy`,
    floor: `${middle('proxy').toFixed(0)} µs plain proxy`,
    value: `${times.toFixed(2)} × (${middle('gateway').toFixed(0)} µs)`,
    ok: times <= budget,
    note: "processor time a turn, median of the rounds' own ratios",
  }
}

function rateRow(rounds: readonly Record<'gateway' | 'proxy', Round>[], budget: number): Row {
  const share = median(rounds.map(({ gateway, proxy }) => gateway.perSecond / proxy.perSecond))
  const middle = (way: 'gateway' | 'proxy'): string => median(rounds.map((round) => round[way].perSecond)).toFixed(0)
  return {
    figure: 'api-turns-per-second',
    budget: `≥ ${budget * 100} % of plain proxy`,
    floor: `${middle('proxy')} /s plain proxy`,
    value: `${middle('gateway')} /s (${(share * 100).toFixed(0)} %)`,
    ok: share >= budget,
    note: "concurrency 16, median of the rounds' own shares",
  }
}
