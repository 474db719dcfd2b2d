import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { runAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { startGateway, waitUntil } from './gateway-process.ts'
import { judgeLane } from './judge.ts'
import { type OpenLane, openRealLanes, openVendorLane } from './lanes.ts'
import { createRandom, type Random } from './random.ts'
import { findProblems, printReport } from './report.ts'
import { speak } from './speakers.ts'
import { countOpen } from './stored.ts'

const kills = 20
/** Latest moment of a kill, counted from when every platform is connected. */
const latestKillMs = 1500
/** Latest moment of a kill that falls into the start, counted from its beginning. */
const latestEarlyKillMs = 400
const drainWithinMs = 60_000
const stopWithinMs = 20_000

/** Kills the gateway at seeded random points while conversations go on, and counts what became of every message. */
export async function runKills({ seed }: { readonly seed: number }): Promise<boolean> {
  console.log(`${kills} kills of the gateway; --seed ${seed} repeats this run`)
  const random = createRandom(seed)
  using home = openTestHome()
  await using keyed = await openVendorLane(home, random, { platform: 'keyed', keys: true, conversations: ['k0', 'k1', 'k2'], pauseMs: 120 })
  // Without keys one conversation each: the outbox has one part of it in flight, so that a kill leaves at most one unknown.
  await using unkeyed = await openVendorLane(home, random, { platform: 'unkeyed', keys: false, conversations: ['u0'], pauseMs: 200 })
  await using real = await openRealLanes(home)
  const stage = { home, lanes: [keyed, unkeyed, ...real.lanes], random }
  writeSettings(stage)
  const restarts = await killRounds(stage)
  const problems = await drain(stage)
  const lines = readFileSync(join(home.home, 'workspace', 'lines.txt'), 'utf8')
    .trim()
    .split('\n')
  const verdicts = stage.lanes.map((lane) => {
    const own = lines.filter((line) => lane.speakers.some(({ conversation }) => line.startsWith(conversation)))
    return judgeLane({ ...lane.evidence(), lines: own })
  })
  const listed = await countListed(home)
  return printReport({ verdicts, restartMs: Math.max(...restarts), problems: [...problems, ...findProblems({ verdicts, kills, listed })] })
}

/** How many answers of unknown fate a person is shown. */
async function countListed(home: TestHome): Promise<number> {
  const { code, signal, out, note } = await runAgent(home, ['gateway', 'status', '--json'])
  if (out === '') throw new Error(`agent gateway status said nothing and ended with ${code ?? signal}: ${note}`)
  return (JSON.parse(out) as { unknown: unknown[] }).unknown.length
}

interface Stage {
  readonly home: TestHome
  readonly lanes: readonly OpenLane[]
  readonly random: Random
}

function writeSettings({ home, lanes }: Stage): void {
  const entries = Object.fromEntries(lanes.map(({ platform }) => [`platform-${platform}`, { enabled: true }]))
  const platforms = Object.fromEntries(
    lanes.map(({ platform, extra }) => [platform, { extra, busy_input_mode: 'queue', reply_to_mode: 'all' }]),
  )
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, platforms }))
}

function start({ home, lanes }: Stage): ReturnType<typeof startGateway> {
  const environment = Object.assign({ GATEWAY_ALLOWED_USERS: 'ann' }, ...lanes.map((lane) => lane.environment)) as Record<string, string>
  const peers = lanes.map(({ peer }) => peer)
  return startGateway(home, peers, environment)
}

/** How long each start took, in milliseconds, unless a kill cut it off. */
async function killRounds(stage: Stage): Promise<readonly number[]> {
  const { lanes, random } = stage
  const speakers = lanes.flatMap((lane) => lane.speakers)
  const restarts: number[] = []
  for (let round = 0; round < kills; round++) {
    const early = random.next() < 0.2
    const killAfterMs = random.between(0, early ? latestEarlyKillMs : latestKillMs)
    const gateway = start(stage)
    if (!early) restarts.push(await gateway.connected())
    const talked = speak(speakers, random, { withinMs: latestKillMs, round })
    await pause(killAfterMs)
    gateway.child.kill('SIGKILL')
    await gateway.ended
    await talked
  }
  return restarts
}

/** Lets a last gateway finish everything; answers what was left undone. */
async function drain(stage: Stage): Promise<readonly string[]> {
  const { home, lanes } = stage
  const gateway = start(stage)
  await gateway.connected()
  const problems: string[] = []
  try {
    await waitUntil('everything was answered', drainWithinMs, () => lanes.every((lane) => lane.isTaken()) && countOpen(home) === 0)
  } catch (error) {
    problems.push(`${error instanceof Error ? error.message : error} ${countOpen(home)} rows of the journal are open.`)
  }
  gateway.child.kill('SIGTERM')
  const killer = setTimeout(() => gateway.child.kill('SIGKILL'), stopWithinMs)
  const { code, note } = await gateway.ended
  clearTimeout(killer)
  if (code !== 0) problems.push(`The last gateway ended with code ${code}: ${note}`)
  return problems
}
