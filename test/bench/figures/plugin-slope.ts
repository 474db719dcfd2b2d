import { setTimeout as sleep } from 'node:timers/promises'
import { makeHome } from '../bench-home.ts'
import { type Figure, median, slownessOf } from '../figure.ts'
import { openGateway } from '../gateway-process.ts'
import { residentMemory, runSound } from '../processes.ts'

const counts = [0, 20, 60, 120] as const

/** What each plugin that is installed and not used adds to the start and to the memory of a gateway. */
export const pluginSlope: Figure = {
  name: 'plugin-slope',
  async measure(bench) {
    const model = (await bench.model()).url
    const homes = counts.map((installed) => ({
      installed,
      home: makeHome(bench, `slope-${installed}`, { model, installed }),
      times: [] as number[],
      memory: [] as number[],
    }))
    const node: number[] = []
    for (let round = 0; round < 15; round++) {
      node.push((await runSound(bench, ['-e', '0'])).ms)
      for (const { home, times, memory } of homes) {
        await using gateway = await openGateway(bench, { home })
        times.push(gateway.readyMs)
        await sleep(150)
        memory.push(residentMemory(gateway.pid))
      }
    }
    const ms = slope(homes.map(({ installed, times }) => [installed, median(times)]))
    const mib = slope(homes.map(({ installed, memory }) => [installed, median(memory)]))
    const points = (unit: 'times' | 'memory'): string =>
      homes.map((home) => `${home.installed}: ${median(home[unit]).toFixed(0)}`).join(', ')
    return [
      {
        figure: 'plugin-slope-time',
        budget: '≤ 0.2 ms',
        floor: `${median(node).toFixed(0)} ms node -e 0`,
        value: `${ms.toFixed(3)} ms`,
        ok: ms <= 0.2 * slownessOf(median(node)),
        note: `${(0.2 * slownessOf(median(node))).toFixed(2)} ms allowed on this machine; ready in ms by plugins installed: ${points('times')}`,
      },
      {
        figure: 'plugin-slope-memory',
        budget: '≤ 0.05 MiB',
        floor: '',
        value: `${mib.toFixed(3)} MiB`,
        ok: mib <= 0.05,
        note: `MiB by plugins installed: ${points('memory')}`,
      },
    ]
  },
}

/** Of the straight line that fits best by least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length
  const [middleX, middleY] = [mean(0), mean(1)]
  const both = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0)
  return both / points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0)
}
