import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../../host/src/kernel/clock.ts'
import { createCommandSandbox, type OpenCommandSandbox } from '../../../../host/src/kernel/sandbox/command-sandbox.ts'
import { createSandbox } from '../../../../host/src/kernel/sandbox/sandbox.ts'
import { type Figure, median, percentile } from '../../figure.ts'

const rounds = 150
const warmingUp = 20
const figure = 'sandboxed-command'
const budget = '≤ 15 ms over a plain one'

/** A shell that does nothing, from the question how to start it to its end: in the sandbox, and beside it without one. */
export const sandboxedCommand: Figure = {
  name: figure,
  async measure(bench) {
    const { level } = createSandbox({ clock: systemClock })
    const found = await level()
    if (!found.works) return [{ figure, budget, floor: '', value: 'not measured', ok: true, note: `${found.reason}: ${found.fix}` }]
    const workspace = join(bench.folder, 'sandboxed-command')
    mkdirSync(workspace)
    const open = (sandbox: 'auto' | 'off'): OpenCommandSandbox =>
      createCommandSandbox({
        ...{
          level,
          settings: () => ({ sandbox, network: 'on', writable: [], hidden: [] }),
          environment: () => ({ PATH: process.env.PATH ?? '' }),
        },
        ...{ userHome: homedir(), homes: () => [join(workspace, 'home')], cache: join(workspace, 'cache'), temporary: workspace },
      })
    const [boxed, plain] = [open('auto'), open('off')]
    const measured: { boxed: number; plain: number }[] = []
    for (let round = 0; round < rounds; round++) measured.push({ boxed: await time(boxed, workspace), plain: await time(plain, workspace) })
    await boxed.close()
    const warm = measured.slice(warmingUp)
    const more = warm.map((round) => round.boxed - round.plain)
    const [own, floor] = [median(warm.map((round) => round.boxed)), median(warm.map((round) => round.plain))]
    return [
      {
        figure,
        budget,
        floor: `${floor.toFixed(1)} ms plain`,
        value: `${own.toFixed(1)} ms (+${median(more).toFixed(1)})`,
        ok: median(more) <= 15,
        note: `bash -c true, each beside a plain one; p95 +${percentile(more, 0.95).toFixed(1)} ms`,
      },
    ]
  },
}

/** Milliseconds from the wish to the end. */
async function time(sandbox: OpenCommandSandbox, workspace: string): Promise<number> {
  const startedAt = performance.now()
  const { file, args, environment } = await sandbox.prepare({ session: 'bench', workspace, argv: ['/bin/bash', '-c', 'true'] })
  const child = spawn(file, args, { cwd: workspace, env: { ...environment }, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject))
  return performance.now() - startedAt
}
