import { fail } from '@agent/plugin-sdk/errors'
import { makeHome } from '../bench-home.ts'
import { type ChatClient, createChatClient } from '../chat-client.ts'
import { startPlainProxy } from '../fake-model.ts'
import { type Figure, median, type Row } from '../figure.ts'
import { openGateway } from '../gateway-process.ts'
import { processorSeconds } from '../processes.ts'

const tokens = 2000
const answersPerRound = 24
const concurrency = 4

/** A long answer relayed token by token. Four at a time: alone, the model's own pace would be what is measured. */
export const apiStream: Figure = {
  name: 'api-stream',
  async measure(bench) {
    const model = await bench.model()
    await using gateway = await openGateway(bench, { home: makeHome(bench, 'api-stream', { model: model.url }) })
    await using proxy = await startPlainProxy(bench, model)
    using client = createChatClient()
    await checkAnswer(client, gateway.url)
    for (const { url } of [proxy, gateway]) await streamMany(client, url)
    const rounds: Record<'gateway' | 'proxy', Round>[] = []
    for (let round = 0; round < 11; round++) {
      bench.signal.throwIfAborted()
      rounds.push({ proxy: await measureRound(client, proxy), gateway: await measureRound(client, gateway) })
    }
    return [rateRow(rounds), processorRow(rounds)]
  },
}

interface Round {
  /** Tokens. */
  readonly perSecond: number
  /** Microseconds of processor that the server used for a token. */
  readonly processor: number
}

async function measureRound(client: ChatClient, server: { readonly url: string; readonly pid: number }): Promise<Round> {
  const before = processorSeconds(server.pid)
  const perSecond = await streamMany(client, server.url)
  return { perSecond, processor: ((processorSeconds(server.pid) - before) * 1e6) / (answersPerRound * tokens) }
}

function rateRow(rounds: readonly Record<'gateway' | 'proxy', Round>[]): Row {
  const share = median(rounds.map(({ gateway, proxy }) => gateway.perSecond / proxy.perSecond))
  const middle = (way: 'gateway' | 'proxy'): string => thousands(median(rounds.map((round) => round[way].perSecond)))
  return {
    figure: 'stream-rate',
    budget: '≥ 50 % of plain proxy',
    floor: `${middle('proxy')} tokens/s plain proxy`,
    value: `${middle('gateway')} tokens/s (${(share * 100).toFixed(0)} %)`,
    ok: share >= 0.5,
    note: `answers of ${tokens} tokens, each token an event and a chunk, ${concurrency} at a time`,
  }
}

/** Microseconds of processor a token, and how many times a plain relay where that alone takes most of them. */
const budget = { micros: 15, relays: 1.4 }

/** A machine on which it costs that much to hand a token on tells nothing by microseconds. */
function processorRow(rounds: readonly Record<'gateway' | 'proxy', Round>[]): Row {
  const middle = (way: 'gateway' | 'proxy'): number => median(rounds.map((round) => round[way].processor))
  const relay = middle('proxy')
  const cost = middle('gateway')
  const times = median(rounds.map(({ gateway, proxy }) => gateway.processor / proxy.processor))
  const isSlow = relay * budget.relays > budget.micros
  return {
    figure: 'stream-processor-time',
    budget: `≤ ${budget.micros} µs a token`,
    floor: `${relay.toFixed(1)} µs plain proxy`,
    value: `${cost.toFixed(1)} µs a token`,
    ok: cost <= budget.micros || (isSlow && times <= budget.relays),
    ...(isSlow ? { note: `${times.toFixed(2)} × plain proxy, which takes most of it on this machine: ${budget.relays} × allowed` } : {}),
  }
}

/** Tokens per second over one round. */
async function streamMany(client: ChatClient, base: string): Promise<number> {
  const startedAt = performance.now()
  let left = answersPerRound
  const worker = async (): Promise<void> => {
    while (left-- > 0) await client.chat(base, `tokens=${tokens} ${startedAt} ${left}`)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return (answersPerRound * tokens) / ((performance.now() - startedAt) / 1000)
}

/** Nothing of the answer is lost, and every token is a separate event. */
async function checkAnswer(client: ChatClient, base: string): Promise<void> {
  const { body } = await client.read(base, `tokens=${tokens}`)
  const count = body.split('"word "').length - 1
  if (count !== tokens) throw fail('INTERNAL', { detail: `${count} of ${tokens} tokens came as separate events` })
}

function thousands(count: number): string {
  return `${(count / 1000).toFixed(0)}k`
}
