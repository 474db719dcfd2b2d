import { setTimeout as sleep } from 'node:timers/promises'
import { makeHome } from '../bench-home.ts'
import { chatMany, createChatClient } from '../chat-client.ts'
import type { Figure } from '../figure.ts'
import { openGateway } from '../gateway-process.ts'
import { residentMemory } from '../processes.ts'

const milestones = [500, 2500, 5000, 7500, 10_000] as const

/** Whether a gateway holds more after 10,000 turns, each a separate session, than after 500. */
export const memoryGrowth: Figure = {
  name: 'memory-growth',
  async measure(bench) {
    const model = await bench.model()
    await using gateway = await openGateway(bench, { home: makeHome(bench, 'memory-growth', { model: model.url }) })
    using client = createChatClient()
    const memory: number[] = []
    let done = 0
    for (const turns of milestones) {
      await chatMany(client, gateway.url, { count: turns - done, concurrency: 16, signal: bench.signal })
      done = turns
      await sleep(10_000, undefined, { signal: bench.signal })
      memory.push(residentMemory(gateway.pid))
    }
    const [early = Number.NaN] = memory
    const late = memory.at(-1) ?? Number.NaN
    return [
      {
        figure: 'memory-growth',
        budget: '≤ 1.1 × of 500 turns',
        floor: `${early.toFixed(0)} MiB after 500`,
        value: `${late.toFixed(0)} MiB (${(late / early).toFixed(2)} ×)`,
        ok: late <= 1.1 * early,
        note: `resident MiB 10 s after so many turns at concurrency 16: ${milestones.map((turns, at) => `${turns}: ${memory[at]?.toFixed(0)}`).join(', ')}`,
      },
    ]
  },
}
