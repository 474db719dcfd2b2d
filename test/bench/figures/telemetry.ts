import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeHome } from '../bench-home.ts'
import { chatMany, createChatClient } from '../chat-client.ts'
import { type Figure, median, type Row } from '../figure.ts'
import { type GatewayProcess, openGateway } from '../gateway-process.ts'
import { processorSeconds } from '../processes.ts'

const rounds = 16

/** What measuring costs: the same turns by a gateway that sends traces and metrics and serves Prometheus, and by one that does not. */
export const telemetry: Figure = {
  name: 'telemetry',
  async measure(bench) {
    const model = await bench.model()
    let sent = 0
    const collector = createServer((request, response) => {
      sent += 1
      request.resume().once('end', () => response.end('{}'))
    }).listen(0, '127.0.0.1')
    await once(collector, 'listening')
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
    const config = `plugins: { entries: { hooks-telemetry: { enabled: true, config: { endpoint: "${endpoint}", interval_seconds: 1, prometheus: { port: 0 } } } } }`
    try {
      await using plain = await openGateway(bench, { home: makeHome(bench, 'telemetry-off', { model: model.url }) })
      await using measured = await openGateway(bench, { home: makeHome(bench, 'telemetry-on', { model: model.url, config: [config] }) })
      using client = createChatClient()
      const take = async (gateway: GatewayProcess, ms: number): Promise<number> => {
        const before = processorSeconds(gateway.pid)
        const { done } = await chatMany(client, gateway.url, { ms, concurrency: 16, signal: bench.signal })
        return ((processorSeconds(gateway.pid) - before) * 1e6) / done
      }
      for (const gateway of [plain, measured]) await take(gateway, 3000)
      const pairs: (readonly [plain: number, measured: number])[] = []
      for (let round = 0; round < rounds; round++) {
        // Which one comes first has its share in what it takes.
        const order = round % 2 === 0 ? [plain, measured] : [measured, plain]
        const took = new Map<GatewayProcess, number>()
        for (const gateway of order) took.set(gateway, await take(gateway, 1000))
        pairs.push([took.get(plain) ?? 0, took.get(measured) ?? 0])
      }
      return [describe(pairs, sent)]
    } finally {
      collector.close()
      collector.closeAllConnections()
    }
  },
}

/** A gateway that is busy is as fast as its processor lets it: what a turn takes of that is what is lost in turns a second. */
function describe(pairs: readonly (readonly [plain: number, measured: number])[], sent: number): Row {
  const more = median(pairs.map(([plain, measured]) => measured / plain)) - 1
  return {
    figure: 'telemetry-cost',
    budget: '≤ 3 % of turns per second',
    floor: `${median(pairs.map(([plain]) => plain)).toFixed(0)} µs a turn without`,
    value: `${(100 * (1 - 1 / (1 + more))).toFixed(1)} %`,
    ok: more <= 1 / 0.97 - 1 && sent > 0,
    note: `processor time a turn, median of the rounds' own ratios; the collector was sent ${sent} times`,
  }
}
