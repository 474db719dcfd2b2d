import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { allocatorEnvironment } from '../../../host/src/kernel/allocator.ts'
import { findFreePort } from '../../support/free-port.ts'
import { waitUntil } from '../../support/servers/wait-until.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { readMemory } from '../chaos/memory.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { addPlatform } from '../platform-folder.ts'
import { createRandom } from '../random.ts'
import { openVendor, type Vendor } from '../vendor.ts'
import { attacks } from './attacker.ts'
import { type Crowd, openCrowd } from './crowd.ts'
import { openMachineWatch } from './machine-watch.ts'
import { type Program, startProgram } from './programs.ts'
import { type HostileReport, printHostile, type Row, readerOfMuch } from './report.ts'
import type { Target } from './target.ts'
import { hardTexts } from './texts.ts'
import { ask, chat, send } from './wire.ts'

const conversations = 50
/** A stall that an attack causes comes each time; one of the machine does not. */
const mostAttempts = 3
const longestWaitMs = 250
const afterMs = 60_000
/** So long nobody speaks before memory is looked at: the gateway collects by itself once it has nothing to do. */
const restMs = 8_000
/** Where attacks are chosen, by somebody who looks into them. */
const afterChosenMs = 3_000
const memoryFolder = '/dev/shm'
const collector = 'test/faults/hostile/collect-on-signal.mjs'
/** A machine that lets nobody wait for so long is a quiet one: there the limit holds as it is. */
const quietMs = 125
/** Room for the crowd and one load of paused readers. */
const mostRuns = 200
const platform = 'crowd'

interface Stage {
  readonly target: Target
  readonly gateway: Gateway
  readonly vendor: Vendor
  readonly crowd: Crowd
  readonly attacker: Program
}

interface HostileOptions {
  readonly seed: number
  /** How often the whole set is sent: what a first time loads is no leak, what a second adds is one. */
  readonly scale: number
  readonly names: readonly string[]
}

/** Fifty conversations go on, while a stranger sends one bad thing after the other. Words choose attacks by their names; a scale of 2 sends all of it twice. */
export async function runHostile({ seed, scale, names }: HostileOptions): Promise<boolean> {
  // The waits of a busy disk are not what is tried here.
  using home = openTestHome(existsSync(memoryFolder) ? memoryFolder : undefined)
  await using model = startProgram('hostile-model')
  await using attacker = startProgram('hostile-attacker')
  await using vendor = await openVendor({ keys: true, random: createRandom(seed), pauseMs: 0 })
  const target = { api: await findFreePort(), callbacks: await findFreePort(), key: 'k'.repeat(40), secret: 's'.repeat(40) }
  await addPlatform(home, process.cwd(), { id: platform, keys: true })
  writeSettings(home, vendor, { target, model: String(await model.heard()) })
  const gateway = startGateway(home, [vendor], {
    // As agent gateway start and the service start it.
    ...allocatorEnvironment,
    NODE_OPTIONS: `--import ${join(process.cwd(), collector)}`,
    GATEWAY_ALLOW_ALL_USERS: 'true',
    AGENT_INFERENCE_PROVIDER: 'custom',
    API_SERVER_KEY: target.key,
    API_SERVER_PORT: String(target.api),
    WEBHOOK_SECRET: target.secret,
  })
  await gateway.connected()
  await using crowd = openCrowd({ target, vendor, each: conversations / 2 })
  const report = await attackAll({ target, gateway, vendor, crowd, attacker }, { names, passes: Math.max(1, Math.round(scale)) })
  gateway.child.kill('SIGTERM')
  const { code, note } = await gateway.ended
  return printHostile({ ...report, ended: code === 0 ? undefined : `The gateway ended with code ${code}: ${note}` })
}

function writeSettings(home: TestHome, vendor: Vendor, { target, model }: { readonly target: Target; readonly model: string }): void {
  home.write(
    'config.yaml',
    JSON.stringify({
      model: { provider: 'custom', default: 'hostile', base_url: `http://127.0.0.1:${model}/v1` },
      gateway: { http: { port: target.callbacks } },
      plugins: { entries: { [`platform-${platform}`]: { enabled: true } } },
      platforms: {
        [platform]: { extra: { port: vendor.port, pauseMs: 0 }, batch_ms: 0 },
        'api-server': { extra: { max_concurrent_runs: mostRuns } },
        webhook: { enabled: true, extra: { rate_limit: 1_000, routes: { signed: {} } } },
      },
    }),
  )
}

interface Plan {
  readonly names: readonly string[]
  readonly passes: number
}

async function attackAll(stage: Stage, { names, passes }: Plan): Promise<Omit<HostileReport, 'ended'>> {
  const calm = await judgeCalm(stage)
  const rows: Row[] = []
  const heldMiB: number[] = []
  let readerMiB = 0
  for (let pass = 0; pass < passes; pass++) {
    rows.push(...(await attackWithAll(stage, names)))
    if (names.length === 0 || names.some((word) => readerOfMuch.includes(word))) readerMiB = Math.max(readerMiB, await costOfReader(stage))
    await pause(names.length > 0 ? afterChosenMs : afterMs - restMs)
    heldMiB.push(await restedMemory(stage))
    console.log(`memory held: before ${Math.round(calm.beforeMiB)} MiB, now ${heldMiB.map(Math.round).join(', ')} MiB`)
  }
  const open = Number(await stage.attacker.ask('open'))
  return { rows, ...calm, readerMiB, heldMiB, open, longestWaitMs }
}

async function attackWithAll(stage: Stage, names: readonly string[]): Promise<readonly Row[]> {
  const isChosen = (name: string): boolean => names.length === 0 || names.some((word) => name.includes(word))
  const rows: Row[] = []
  for (const [name] of attacks) if (isChosen(name)) rows.push(await attackAgain(stage, name, () => askAttacker(stage, name)))
  for (const [name, make] of Object.entries(hardTexts)) {
    const title = `a message of 30 KB: ${name}`
    if (isChosen(title)) rows.push(await attackAgain(stage, title, () => sayToPlatform(stage, make(30_000))))
  }
  return rows
}

/** What is held for it while it does not read. */
async function costOfReader(stage: Stage): Promise<number> {
  // A second collection gives back the pages that the first has emptied.
  await heldMemory(stage)
  const before = await heldMemory(stage)
  const reading = askAttacker(stage, readerOfMuch)
  await pause(1_500)
  const cost = (await heldMemory(stage)) - before
  await reading
  return cost
}

/** The minute before: what anybody waits for, and the memory of a gateway that has work. */
async function judgeCalm(stage: Stage): Promise<{ readonly calmMs: number; readonly beforeMiB: number }> {
  await askProperly(stage)
  await pause(8_000)
  stage.crowd.take()
  await pause(4_000)
  return { calmMs: stage.crowd.take().longestMs, beforeMiB: await restedMemory(stage) }
}

/** One good request of each kind, so that what is loaded at the first of its kind does not count for a hostile one. */
async function askProperly({ target }: Stage): Promise<void> {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  await chat(target, 'hi')
  await chat(target, '{}', { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } })
  await chat(target, 'hi', { tools: [{ type: 'function', function: { name: 'a', parameters: schema } }] })
  await ask(target, '/v1/responses', { input: 'hi', conversation: 'proper' })
  await ask(target, '/v1/runs', { input: 'hi' })
  await ask(target, '/v1/chat/completions', gzipSync('{"messages":[{"role":"user","content":"hi"}]}'), { 'content-encoding': 'gzip' })
  await send({ port: target.callbacks, path: '/webhooks/signed', body: '{}' })
}

/** What the gateway holds when it has had nothing to do for some seconds, and has collected by itself. */
async function restedMemory(stage: Stage): Promise<number> {
  await stage.crowd.rest(restMs)
  return memoryOf(stage)
}

const memoryOf = ({ gateway }: Stage): number => readMemory(gateway.child.pid ?? 0) ?? Number.NaN

/** The least of some seconds after a collection: the rest is garbage. */
async function heldMemory(stage: Stage): Promise<number> {
  stage.gateway.child.kill('SIGUSR2')
  let least = memoryOf(stage)
  for (let look = 0; look < 20; look++) {
    await pause(100)
    least = Math.min(least, memoryOf(stage))
  }
  return least
}

async function attackAgain(stage: Stage, name: string, attack: () => Promise<string>): Promise<Row> {
  let best = await attackOnce(stage, name, attack)
  for (let attempt = 1; attempt < mostAttempts && excess(best) > longestWaitMs; attempt++) {
    const floorMs = await waitOfNothing(stage)
    const row = await attackOnce(stage, name, attack)
    const judged = { ...row, machineMs: Math.max(row.machineMs, floorMs > quietMs ? floorMs : 0) }
    if (excess(judged) < excess(best)) best = judged
  }
  console.log(`${best.name}: ${best.answer}, ${Math.round(best.waitMs)} ms`)
  return best
}

const excess = ({ waitMs, machineMs }: Row): number => waitMs - machineMs

/** How long somebody waits on this machine now, without an attack. */
async function waitOfNothing({ crowd }: Stage): Promise<number> {
  crowd.take()
  await pause(1_000)
  return crowd.take().longestMs
}

async function attackOnce(stage: Stage, name: string, attack: () => Promise<string>): Promise<Row> {
  const beforeMiB = memoryOf(stage)
  let peakMiB = beforeMiB
  const looking = setInterval(() => {
    peakMiB = Math.max(peakMiB, memoryOf(stage))
  }, 50)
  using machine = openMachineWatch()
  stage.crowd.take()
  const startedAt = performance.now()
  const answer = await attack()
  // What an answer leaves behind holds others up too.
  await pause(300)
  clearInterval(looking)
  const { longestMs, wrong } = stage.crowd.take()
  const machineMs = machine.longestMs()
  const row = { name, answer, waitMs: longestMs, machineMs, wrong, tookMs: performance.now() - startedAt, beforeMiB, peakMiB }
  return { ...row, laterMiB: memoryOf(stage) }
}

const askAttacker = async ({ attacker, target }: Stage, attack: string): Promise<string> => String(await attacker.ask({ attack, target }))

/** A person sends a hard text and gets it back, cut into the messages of the platform. */
async function sayToPlatform({ vendor }: Stage, text: string): Promise<string> {
  const conversation = 'stranger'
  const heard = (): number => vendor.arrivals.filter((arrival) => arrival.conversation === conversation).length
  const before = heard()
  vendor.say({ id: `stranger-${vendor.said.length}`, conversation, text })
  return waitUntil('it was answered', 10_000, () => heard() > before).then(
    () => `${heard() - before} messages`,
    () => 'no answer',
  )
}
