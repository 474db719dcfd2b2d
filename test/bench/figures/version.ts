import { join } from 'node:path'
import { type Figure, median } from '../figure.ts'
import { runSound } from '../processes.ts'

export const version: Figure = {
  name: 'version',
  async measure(bench) {
    const times = { bare: [] as number[], agent: [] as number[] }
    for (let round = 0; round < 31; round++) {
      times.bare.push((await runSound(bench, ['-e', '0'])).ms)
      times.agent.push((await runSound(bench, [join(bench.root, 'host/bin/agent.mjs'), '--version'])).ms)
    }
    // Each start is compared with the bare one right before it: what else the machine does then weighs on both.
    const ratio = median(times.agent.map((ms, round) => ms / (times.bare[round] ?? ms)))
    return [
      {
        figure: 'version',
        budget: '≤ 1.5 × node -e 0',
        floor: `${median(times.bare).toFixed(1)} ms node -e 0`,
        value: `${median(times.agent).toFixed(1)} ms (${ratio.toFixed(2)} ×)`,
        ok: ratio <= 1.5,
      },
    ]
  },
}
