import { setTimeout as sleep } from 'node:timers/promises'
import { makeHome } from '../bench-home.ts'
import { listPluginImports, measureCommand } from '../command-runs.ts'
import { type Figure, judgeColdStart } from '../figure.ts'

const words = ['plugins', 'list']
/** A manifest that was written within four seconds is read each time. */
const settleMs = 4500

export const pluginsList: Figure = {
  name: 'plugins-list',
  async measure(bench) {
    const home = makeHome(bench, 'plugins-list', { installed: 60 })
    const many = makeHome(bench, 'plugins-list-many', { installed: 100 })
    await sleep(settleMs, undefined, { signal: bench.signal })
    const { ms, memory, nodeMs, nodeMemory } = await measureCommand(bench, words, home)
    const imports = await listPluginImports(bench, words, home)
    const control = await listPluginImports(bench, ['chat', '-z', 'hello'], home)
    const more = await measureCommand(bench, words, many)
    return [
      judgeColdStart('plugins-list-time', { valueMs: ms, nodeMs, budgetMs: 120 }),
      {
        figure: 'plugins-list-memory',
        budget: '≤ 70 MiB',
        floor: `${nodeMemory.toFixed(0)} MiB node -e 0`,
        value: `${memory.toFixed(1)} MiB`,
        ok: memory <= 70,
      },
      {
        figure: 'plugins-list-imports',
        budget: '0 plugin modules',
        floor: `${control.plugins} in chat -z`,
        value: `${imports.plugins} of ${imports.all}`,
        ok: imports.plugins === 0 && control.plugins > 0,
        note: 'counted by a loader hook; a chat with the offline model shows that it counts',
      },
      {
        figure: 'plugins-list-hundred',
        budget: '–',
        floor: `${more.nodeMs.toFixed(0)} ms, ${more.nodeMemory.toFixed(0)} MiB node -e 0`,
        value: `${more.ms.toFixed(0)} ms, ${more.memory.toFixed(1)} MiB`,
        ok: true,
        note: '100 installed',
      },
    ]
  },
}
