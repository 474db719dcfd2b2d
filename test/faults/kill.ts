import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { type Peer, startGateway, waitUntil } from './gateway-process.ts'
import { judgeLane, type Verdict } from './judge.ts'
import { addPlatform } from './platform-folder.ts'
import { createRandom, type Random } from './random.ts'
import { findProblems, printReport } from './report.ts'
import { type Speaker, speak } from './speakers.ts'
import { countOpen, readStored } from './stored.ts'
import { openVendor, type Vendor } from './vendor.ts'

const kills = 20
/** Messages that every conversation gets between two kills. */
const perRound = 2
/** Latest moment of a kill, counted from when every platform is connected. */
const latestKillMs = 700
/** Latest moment of a kill that falls into the start, counted from its beginning. */
const latestEarlyKillMs = 400
const drainWithinMs = 60_000
const stopWithinMs = 20_000

/** Kills the gateway at seeded random points while conversations go on, and counts what became of every message. */
export async function runKills({ seed }: { readonly seed: number }): Promise<boolean> {
  console.log(`${kills} kills of the gateway; --seed ${seed} repeats this run`)
  const random = createRandom(seed)
  using home = openTestHome()
  await using keyed = await openVendor({ keys: true, random })
  await using unkeyed = await openVendor({ keys: false, random })
  const vendors = { keyed, unkeyed }
  await installPlatforms(home, vendors)
  // One conversation without keys: the outbox has one part of it in flight, so that a kill leaves at most one unknown.
  const speakers = [...speakersOf(keyed, ['k0', 'k1', 'k2']), ...speakersOf(unkeyed, ['u0'])]
  const stage: Stage = { home, peers: [keyed, unkeyed], speakers, random, environment: { GATEWAY_ALLOWED_USERS: 'ann' } }
  const restarts = await killRounds(stage)
  const problems = await drain(stage, () => [keyed, unkeyed].every(({ said, accepted }) => said.every(({ id }) => accepted.has(id))))
  const verdicts = Object.entries(vendors).map(([platform, vendor]) => judgeVendor(home, platform, vendor))
  return printReport({ verdicts, restartMs: Math.max(...restarts), problems: [...problems, ...findProblems(verdicts, kills)] })
}

async function installPlatforms(home: TestHome, vendors: Readonly<Record<string, Vendor>>): Promise<void> {
  for (const id of Object.keys(vendors)) await addPlatform(home, process.cwd(), { id, keys: id === 'keyed' })
  const entries = Object.fromEntries(Object.keys(vendors).map((id) => [`platform-${id}`, { enabled: true }]))
  const platforms = Object.fromEntries(Object.entries(vendors).map(([id, { port }]) => [id, { extra: { port, pauseMs: 5 } }]))
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, platforms }))
}

function speakersOf(vendor: Vendor, conversations: readonly string[]): readonly Speaker[] {
  return conversations.map((conversation) => ({ conversation, say: (id, text) => vendor.say({ id, conversation, text }) }))
}

interface Stage {
  readonly home: TestHome
  readonly peers: readonly Peer[]
  readonly speakers: readonly Speaker[]
  readonly random: Random
  readonly environment: Readonly<Record<string, string>>
}

/** How long each start took, in milliseconds, unless a kill cut it off. */
async function killRounds({ home, peers, speakers, random, environment }: Stage): Promise<readonly number[]> {
  const restarts: number[] = []
  for (let round = 0; round < kills; round++) {
    const early = random.next() < 0.2
    const killAfterMs = random.between(0, early ? latestEarlyKillMs : latestKillMs)
    const talk = speak(speakers, random, { each: perRound, withinMs: latestKillMs, round })
    const gateway = startGateway(home, peers, environment)
    if (!early) restarts.push(await gateway.connected())
    await pause(killAfterMs)
    gateway.child.kill('SIGKILL')
    await gateway.ended
    await talk
  }
  return restarts
}

/** Lets a last gateway finish everything; answers what was left undone. */
async function drain({ home, peers, environment }: Stage, isAccepted: () => boolean): Promise<readonly string[]> {
  const gateway = startGateway(home, peers, environment)
  await gateway.connected()
  const problems: string[] = []
  try {
    await waitUntil('everything was answered', drainWithinMs, () => isAccepted() && countOpen(home) === 0)
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

function judgeVendor(home: TestHome, platform: string, { said, accepted, arrivals }: Vendor): Verdict {
  const lines = readFileSync(join(home.home, 'workspace', 'lines.txt'), 'utf8')
    .trim()
    .split('\n')
  return judgeLane({
    platform,
    accepted: said.filter(({ id }) => accepted.has(id)).map(({ id }) => id),
    stored: readStored(home, platform),
    arrivals,
    lines: lines.filter((line) => line.startsWith(platform.slice(0, 1))),
  })
}
