import { join } from 'node:path'
import { type Figure, median } from '../figure.ts'
import { runSound } from '../processes.ts'

export const version: Figure = {
  name: 'version',
  async measure(bench) {
    const times = { bare: [] as number[], agent: [] as number[] }
    for (let round = 0; round < 15; round++) {
      times.bare.push((await runSound(bench, ['-e', '0'])).ms)
      times.agent.push((await runSound(bench, [join(bench.root, 'host/bin/agent.mjs'), '--version'])).ms)
    }
    const bare = median(times.bare)
    const agent = median(times.agent)
    return [
      {
        figure: 'version',
        budget: '≤ 1.5 × node -e 0',
        floor: `${bare.toFixed(1)} ms node -e 0`,
        value: `${agent.toFixed(1)} ms (${(agent / bare).toFixed(2)} ×)`,
        ok: agent <= 1.5 * bare,
      },
    ]
  },
}
