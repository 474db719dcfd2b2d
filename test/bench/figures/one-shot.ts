import { makeHome } from '../bench-home.ts'
import { measureCommand } from '../command-runs.ts'
import { type Figure, judgeColdStart } from '../figure.ts'

export const oneShot: Figure = {
  name: 'one-shot',
  async measure(bench) {
    const home = makeHome(bench, 'one-shot', { model: (await bench.model()).url })
    const { ms, memory, nodeMs, nodeMemory } = await measureCommand(bench, ['chat', '-z', 'hello'], home)
    return [
      judgeColdStart('one-shot-time', { valueMs: ms, nodeMs, budgetMs: 250 }),
      {
        figure: 'one-shot-memory',
        budget: '≤ 95 MiB',
        floor: `${nodeMemory.toFixed(0)} MiB node -e 0`,
        value: `${memory.toFixed(1)} MiB`,
        ok: memory <= 95,
      },
    ]
  },
}
