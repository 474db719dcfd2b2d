import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Crowd, openCrowds } from '../../support/gateways/crowds.ts'
import { runAgent } from '../../support/run-agent.ts'
import { waitUntil } from '../../support/servers/wait-until.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { type CrashWitness, openCrashWitness } from '../crash-witness.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { createRandom, type Random } from '../random.ts'
import { countOpen, readStored } from '../stored.ts'
import { judgeCrowd } from './judge-crowd.ts'
import { median, readMemory } from './memory.ts'
import { type ChaosReport, printChaos } from './report.ts'
import { type Conversation, keepTalking, listConversations, talkUntilHeard } from './talk.ts'
import { openWeather, type Weather } from './weather.ts'

const kills = 10
const calmMs = 60_000
const killsMs = 100_000
/** As long as minute one, so that memory is compared at the same age of a gateway. */
const lastMs = 60_000
const drainMs = 60_000
const messagesPerSecond = 8
const troublesPerSecond = 1

interface Stage {
  readonly home: TestHome
  readonly crowds: readonly Crowd[]
  readonly random: Random
  readonly callbackPort: number
  readonly witness: CrashWitness
  gateway: Gateway
}

/** Many people on many platforms, while nearly everything goes wrong that can. */
export async function runChaos({ seed, scale }: { readonly seed: number; readonly scale: number }): Promise<boolean> {
  const random = createRandom(seed)
  using home = openTestHome()
  const crowds = await openCrowds()
  try {
    const conversations = listConversations(crowds)
    console.log(`${conversations.length} conversations on ${crowds.length} platforms, ${kills} kills; --seed ${seed} repeats this run`)
    const callbackPort = 20_000 + Math.floor(random.next() * 20_000)
    writeSettings(home, crowds, callbackPort)
    const stage: Stage = { home, crowds, random, callbackPort, witness: openCrashWitness(home), gateway: start(home, crowds) }
    for (const crowd of crowds) crowd.listening?.(`http://127.0.0.1:${callbackPort}`)
    await stage.gateway.connected()
    const weather = openWeather(crowds, random, troublesPerSecond)
    const figures = await storm(stage, conversations, weather, scale)
    return printChaos(await judge(stage, conversations, weather, figures))
  } finally {
    for (const crowd of crowds) await crowd[Symbol.asyncDispose]()
  }
}

function writeSettings(home: TestHome, crowds: readonly Crowd[], port: number): void {
  const platforms = Object.fromEntries(
    crowds.map(({ platform, config }) => [
      platform,
      { enabled: true, extra: config, batch_ms: 0, busy_input_mode: 'queue', reply_prefix: '' },
    ]),
  )
  home.write('config.yaml', JSON.stringify({ platforms, gateway: { receive_timeout: 30, http: { port } } }))
  home.write('jump', '0')
}

function start(home: TestHome, crowds: readonly Crowd[]): Gateway {
  const secrets = Object.assign({}, ...crowds.map((crowd) => crowd.secrets ?? {})) as Record<string, string>
  return startGateway(home, crowds, {
    GATEWAY_ALLOW_ALL_USERS: 'true',
    NODE_OPTIONS: `--require ${join(process.cwd(), 'test', 'faults', 'chaos', 'jump-clock.cjs')}`,
    JUMP_FILE: join(home.home, 'jump'),
    ...secrets,
  })
}

interface Figures {
  readonly minuteOneMiB: number
  readonly lastMiB: number
  /** False in a shortened run, whose gateways are too young to compare. */
  readonly whole: boolean
  readonly drainedMs: number | undefined
  readonly ended: number | null
}

async function storm(stage: Stage, conversations: readonly Conversation[], weather: Weather, scale: number): Promise<Figures> {
  const over = new AbortController()
  const talking = keepTalking(conversations, stage.random, { perSecond: messagesPerSecond, signal: over.signal })
  const minuteOneMiB = await watchMemory(stage, calmMs * scale)
  await killAgain(stage, killsMs * scale)
  await jumpClock(stage, -600_000)
  const lastMiB = await watchMemory(stage, lastMs * scale)
  over.abort()
  await talking
  await weather.stop()
  await talkUntilHeard(stage.home, conversations, stage.random)
  const drainedMs = await drain(stage, conversations)
  stage.gateway.child.kill('SIGTERM')
  const { code } = await stage.gateway.ended
  return { minuteOneMiB, lastMiB, whole: scale >= 1, drainedMs, ended: code }
}

/** The memory of the gateway in the last third of a time. */
async function watchMemory({ gateway }: Stage, ms: number): Promise<number> {
  const seen: number[] = []
  const end = performance.now() + ms
  while (performance.now() < end) {
    await pause(500)
    if (end - performance.now() < ms / 3) seen.push(readMemory(gateway.child.pid ?? 0) ?? Number.NaN)
  }
  return median(seen.filter((value) => !Number.isNaN(value)))
}

async function killAgain(stage: Stage, withinMs: number): Promise<void> {
  const { random } = stage
  for (let kill = 0; kill < kills; kill++) {
    if (kill === 4) await jumpClock(stage, 3 * 3_600_000)
    await pause(random.between(0.4, 1.6) * (withinMs / kills))
    stage.gateway.child.kill('SIGKILL')
    await stage.gateway.ended
    stage.witness.look()
    stage.gateway = start(stage.home, stage.crowds)
  }
}

async function jumpClock({ home, gateway }: Stage, ms: number): Promise<void> {
  await waitUntil('the clock can jump', 10_000, () => existsSync(join(home.home, `jump.${gateway.child.pid}`)))
  writeFileSync(join(home.home, 'jump'), String(ms))
  gateway.child.kill('SIGUSR2')
}

/** How long it took until nothing was open any more; undefined when that was too long. */
async function drain({ home, crowds }: Stage, conversations: readonly Conversation[]): Promise<number | undefined> {
  const from = performance.now()
  const isDone = (): boolean =>
    crowds.every((crowd) => crowd.isTaken?.() ?? true) && countOpen(home) === 0 && findMissed(home, conversations).length === 0
  return await waitUntil('everything was answered', drainMs, isDone).then(
    () => performance.now() - from,
    () => undefined,
  )
}

/** What was said where it is kept, and has not come in. */
function findMissed(home: TestHome, conversations: readonly Conversation[]): readonly string[] {
  const platforms = new Set(conversations.filter(({ crowd }) => crowd.isTaken).map(({ crowd }) => crowd.platform))
  const came = new Set([...platforms].flatMap((platform) => readStored(home, platform).map(({ text }) => text)))
  return conversations.flatMap(({ crowd, said }) => (crowd.isTaken ? said.filter((words) => !came.has(`note ${words}`)) : []))
}

async function judge(
  { home, crowds, witness }: Stage,
  conversations: readonly Conversation[],
  weather: Weather,
  figures: Figures,
): Promise<ChaosReport> {
  const { out } = await runAgent(home, ['gateway', 'status', '--json'])
  const listed = (JSON.parse(out) as { unknown: readonly unknown[] }).unknown.length
  const rows = crowds.map((crowd) => {
    const own = conversations.filter((one) => one.crowd === crowd)
    return {
      keyed: crowd.spec.capabilities.idempotentSend,
      troubles: weather.counts.get(crowd.platform) ?? new Map(),
      verdict: judgeCrowd({
        platform: crowd.platform,
        keeps: crowd.isTaken !== undefined,
        conversations: own.map(({ said, person }) => ({ said, heard: crowd.heard(person) })),
        stored: readStored(home, crowd.platform),
        crashes: witness.of(crowd.platform),
      }),
    }
  })
  return { rows, kills, listed, open: countOpen(home), ...figures }
}
