import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { runAgent } from '../support/run-agent.ts'
import type { TestHome } from '../support/test-home.ts'
import { type CrashWitness, openCrashWitness } from './crash-witness.ts'
import { type Gateway, startGateway } from './gateway-process.ts'
import { judgeLane } from './judge.ts'
import type { OpenLane } from './lanes.ts'
import { findProblems, printReport } from './report.ts'
import { countOpen, countSettled } from './stored.ts'

/** A home, the platforms of its gateways, and who counts what they leave in work. */
export interface Stage {
  readonly home: TestHome
  readonly lanes: readonly OpenLane[]
  readonly witness: CrashWitness
}

/** Nothing that is said takes longer than this to be answered; a gateway that settles nothing for so long hangs. */
const hangsAfterMs = 15_000
const stopWithinMs = 20_000

export function openStage(home: TestHome, lanes: readonly OpenLane[]): Stage {
  const entries = Object.fromEntries(lanes.map(({ platform }) => [`platform-${platform}`, { enabled: true }]))
  const platforms = Object.fromEntries(
    lanes.map(({ platform, extra }) => [platform, { extra, busy_input_mode: 'queue', reply_to_mode: 'all' }]),
  )
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, platforms }))
  return { home, lanes, witness: openCrashWitness(home) }
}

export function start({ home, lanes }: Stage): Gateway {
  const environment = Object.assign({ GATEWAY_ALLOWED_USERS: 'ann' }, ...lanes.map((lane) => lane.environment)) as Record<string, string>
  const peers = lanes.map(({ peer }) => peer)
  return startGateway(home, peers, environment)
}

/** Waits until everything that was said is settled; answers what was left undone. */
export async function settleAll({ home, lanes }: Stage): Promise<readonly string[]> {
  let settled = -1
  let since = performance.now()
  while (!lanes.every((lane) => lane.isTaken()) || countOpen(home) > 0) {
    const now = countSettled(home)
    if (now !== settled) since = performance.now()
    settled = now
    if (performance.now() - since > hangsAfterMs)
      return [`Nothing was settled for ${hangsAfterMs} ms, and ${countOpen(home)} rows of the journal are open.`]
    await pause(50)
  }
  return []
}

/** Ends a gateway as a service manager does; answers what was wrong with that. */
export async function stop(gateway: Gateway): Promise<readonly string[]> {
  gateway.child.kill('SIGTERM')
  const killer = setTimeout(() => gateway.child.kill('SIGKILL'), stopWithinMs)
  const { code, note } = await gateway.ended
  clearTimeout(killer)
  return code === 0 ? [] : [`A gateway ended with code ${code}: ${note}`]
}

interface Outcome {
  readonly kills: number
  readonly restartMs: number
  readonly problems: readonly string[]
}

/** Judges what became of every message; true when every guarantee held. */
export async function reportStage({ home, lanes, witness }: Stage, { kills, restartMs, problems }: Outcome): Promise<boolean> {
  const file = join(home.home, 'workspace', 'lines.txt')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const verdicts = lanes.map((lane) => {
    const own = lines.filter((line) => lane.speakers.some(({ conversation }) => line.startsWith(conversation)))
    return judgeLane({ ...lane.evidence(), lines: own, crashes: witness.of(lane.platform) })
  })
  const found = findProblems({ verdicts, kills, listed: await countListed(home) })
  return printReport({ verdicts, restartMs, problems: [...problems, ...found] })
}

/** How many answers of unknown fate a person is shown. */
async function countListed(home: TestHome): Promise<number> {
  const { code, signal, out, note } = await runAgent(home, ['gateway', 'status', '--json'])
  if (out === '') throw new Error(`agent gateway status said nothing and ended with ${code ?? signal}: ${note}`)
  return (JSON.parse(out) as { unknown: unknown[] }).unknown.length
}
