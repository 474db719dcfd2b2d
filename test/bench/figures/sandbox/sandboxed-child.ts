import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../../host/src/kernel/clock.ts'
import { readMemory } from '../../../../host/src/kernel/extension-host/process-readings.ts'
import { createSandbox } from '../../../../host/src/kernel/sandbox/sandbox.ts'
import { openBenchPlugin } from '../../extension-plugin.ts'
import { type Bench, type Figure, median, slownessOf } from '../../figure.ts'
import { runSound } from '../../processes.ts'

const figure = 'sandboxed-child'
const rounds = 10
const budget = '≤ 60 ms and 10 MiB over a plain one'

/** A child in its sandbox beside one without: its start to a loaded entry, and what it and its sandbox keep in memory. */
export const sandboxedChild: Figure = {
  name: figure,
  async measure(bench) {
    const level = await createSandbox({ clock: systemClock }).level()
    if (!level.works) return [{ figure, budget, floor: '', value: 'not measured', ok: true, note: `${level.reason}: ${level.fix}` }]
    const [boxed, plain, node]: [Started[], Started[], number[]] = [[], [], []]
    for (let round = 0; round < rounds; round++) {
      node.push((await runSound(bench, ['-e', '0'])).ms)
      plain.push(await start(bench, 'off'))
      boxed.push(await start(bench, 'required'))
    }
    const of = (what: keyof Started, all: readonly Started[]): number => median(all.map((one) => one[what]))
    const ms = median(boxed.map((one, round) => one.ms - (plain[round]?.ms ?? 0)))
    const mib = of('mib', boxed) - of('mib', plain)
    return [
      {
        ...{ figure, budget, floor: `${of('ms', plain).toFixed(0)} ms, ${of('mib', plain).toFixed(0)} MiB plain` },
        value: `+${ms.toFixed(0)} ms, +${mib.toFixed(1)} MiB`,
        ok: ms <= 60 * slownessOf(median(node)) && mib <= 10,
        note: `medians of ${rounds} starts in turn, the test of the sandbox at the first child included; memory is that of all its processes`,
      },
    ]
  },
}

interface Started {
  readonly ms: number
  readonly mib: number
}

async function start(bench: Bench, sandbox: 'required' | 'off'): Promise<Started> {
  await using plugin = openBenchPlugin(bench, `start-${sandbox}`, sandbox)
  const startedAt = performance.now()
  await plugin.hosts.load(plugin.contribution('platform'), 0)
  const ms = performance.now() - startedAt
  await sleep(300)
  const pid = plugin.hosts.children()[0]?.pid ?? 0
  const pids = sandbox === 'off' ? [pid] : [pid, parentOf(pid)]
  return { ms, mib: pids.reduce((sum, one) => sum + (readMemory(one) ?? 0), 0) / 1024 / 1024 }
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])
}
