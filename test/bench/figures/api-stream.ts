import { fail } from '@agent/plugin-sdk/errors'
import { makeHome } from '../bench-home.ts'
import { type ChatClient, createChatClient } from '../chat-client.ts'
import { startPlainProxy } from '../fake-model.ts'
import { type Figure, median } from '../figure.ts'
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
    const rounds: { gateway: number; proxy: number; cost: number }[] = []
    for (let round = 0; round < 7; round++) {
      bench.signal.throwIfAborted()
      const through = await streamMany(client, proxy.url)
      const before = processorSeconds(gateway.pid)
      const own = await streamMany(client, gateway.url)
      const cost = ((processorSeconds(gateway.pid) - before) * 1e6) / (answersPerRound * tokens)
      rounds.push({ proxy: through, gateway: own, cost })
    }
    const share = median(rounds.map(({ gateway: own, proxy: through }) => own / through))
    const cost = median(rounds.map((round) => round.cost))
    const floor = `${thousands(median(rounds.map((round) => round.proxy)))} tokens/s plain proxy`
    return [
      {
        figure: 'stream-rate',
        budget: '≥ 50 % of plain proxy',
        floor,
        value: `${thousands(median(rounds.map((round) => round.gateway)))} tokens/s (${(share * 100).toFixed(0)} %)`,
        ok: share >= 0.5,
        note: `answers of ${tokens} tokens, each token an event and a chunk, ${concurrency} at a time`,
      },
      { figure: 'stream-processor-time', budget: '≤ 15 µs a token', floor: '', value: `${cost.toFixed(1)} µs a token`, ok: cost <= 15 },
    ]
  },
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
