import { makeFullHome, makeHome } from '../bench-home.ts'
import { measureCommand } from '../command-runs.ts'
import { type Figure, judgeColdStart } from '../figure.ts'

const words = ['chat', '-z', 'hello']

export const oneShot: Figure = {
  name: 'one-shot',
  async measure(bench) {
    const { url } = await bench.model()
    const { ms, memory, nodeMs, nodeMemory } = await measureCommand(bench, words, makeHome(bench, 'one-shot', { model: url }))
    const full = await measureCommand(bench, words, await makeFullHome(bench, 'one-shot-full', { model: url }))
    return [
      judgeColdStart('one-shot-time', { valueMs: ms, nodeMs, budgetMs: 250 }),
      {
        figure: 'one-shot-memory',
        budget: '≤ 95 MiB',
        floor: `${nodeMemory.toFixed(0)} MiB node -e 0`,
        value: `${memory.toFixed(1)} MiB`,
        ok: memory <= 95,
      },
      judgeColdStart('one-shot-full-time', { valueMs: full.ms, nodeMs: full.nodeMs, budgetMs: 250 }),
    ]
  },
}
