import { setTimeout as sleep } from 'node:timers/promises'
import { makeHome } from '../bench-home.ts'
import { chatMany, createChatClient } from '../chat-client.ts'
import type { Figure } from '../figure.ts'
import { openGateway } from '../gateway-process.ts'
import { residentMemory } from '../processes.ts'

/** Whether a gateway holds more after 10,000 turns, each a session of its own, than after 500. */
export const memoryGrowth: Figure = {
  name: 'memory-growth',
  async measure(bench) {
    const model = await bench.model()
    await using gateway = await openGateway(bench, { home: makeHome(bench, 'memory-growth', { model: model.url }) })
    using client = createChatClient()
    const memoryAfter = async (count: number): Promise<number> => {
      await chatMany(client, gateway.url, { count, concurrency: 16, signal: bench.signal })
      await sleep(3000, undefined, { signal: bench.signal })
      return residentMemory(gateway.pid)
    }
    const early = await memoryAfter(500)
    const late = await memoryAfter(9500)
    return [
      {
        figure: 'memory-growth',
        budget: '≤ 1.1 × of 500 turns',
        floor: `${early.toFixed(0)} MiB after 500`,
        value: `${late.toFixed(0)} MiB (${(late / early).toFixed(2)} ×)`,
        ok: late <= 1.1 * early,
        note: 'resident memory 3 s after 10,000 turns at concurrency 16',
      },
    ]
  },
}
