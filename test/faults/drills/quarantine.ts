import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runAgent } from '../../support/run-agent.ts'
import { waitUntil } from '../../support/servers/wait-until.ts'
import type { TestHome } from '../../support/test-home.ts'
import { faultyPlugin } from './faulty-folder.ts'

/** What the host waits after a crash before the plugin may run again, in milliseconds. */
const pauses = [1000, 5000, 30_000, 300_000]

/** The variables of a gateway whose clock can jump. */
export function withJumps(home: TestHome): Readonly<Record<string, string>> {
  const program = join(process.cwd(), 'test', 'faults', 'chaos', 'jump-clock.cjs')
  return { NODE_OPTIONS: `--require ${program}`, JUMP_FILE: join(home.home, 'jump') }
}

/** The gateway has said under its number that it can jump. */
export function jump(home: TestHome, ms: number): void {
  home.write('jump', String(ms))
  for (const name of readdirSync(home.home)) if (/^jump\.\d+$/.test(name)) process.kill(Number(name.slice('jump.'.length)), 'SIGUSR2')
}

/** Lets a plugin that ends its process at every connect do so until it is put into quarantine, without the pauses in between. */
export async function crashOften(home: TestHome): Promise<void> {
  for (const [index, pause] of pauses.entries()) {
    await waitUntil(`it has crashed ${index + 1} times`, 20_000, () => countCrashes(home) > index)
    jump(home, pause + 1000)
    for (const word of ['pause', 'resume']) await runAgent(home, ['gateway', word, 'faulty'])
  }
  await waitUntil('it is quarantined', 20_000, () => home.read('logs/gateway.log').includes(`${faultyPlugin} is quarantined`))
}

/** The way out, once the plugin is mended: what `agent plugins why` says. */
export async function liftQuarantine(home: TestHome): Promise<void> {
  home.write('config.yaml', home.read('config.yaml').replace('"connect-exits"', '"none"'))
  const { code, note } = await runAgent(home, ['plugins', 'enable', faultyPlugin])
  if (code !== 0) throw new Error(`The quarantine could not be lifted: ${note}`)
  // Where the last crash came with the pause, its platform is paused still.
  await runAgent(home, ['gateway', 'resume', 'faulty'])
}

function countCrashes(home: TestHome): number {
  return home.read('logs/gateway.log').match(/a child ended/g)?.length ?? 0
}
