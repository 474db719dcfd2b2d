import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { detailOf } from '@agent/plugin-sdk/errors'
import { runAgent } from '../../support/run-agent.ts'
import { waitUntil } from '../../support/servers/wait-until.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { judgeLane } from '../judge.ts'
import { type OpenLane, openVendorLane } from '../lanes.ts'
import { createRandom, type Random } from '../random.ts'
import { note } from '../speakers.ts'
import { openVendor, type Vendor } from '../vendor.ts'
import type { Drill } from './drill.ts'
import { addFaulty, faultyPlugin } from './faulty-folder.ts'
import { openLogReader } from './log-reader.ts'

/** What came of a drill. Times are milliseconds from the moment at which it went wrong; undefined where there is nothing to see. */
export interface DrillResult {
  readonly name: string
  readonly detectedMs: number | undefined
  readonly recoveredMs: number | undefined
  /** Messages of the other platforms, and how many of them were not answered exactly once. */
  readonly said: number
  readonly lost: number
  readonly doubles: number
  /** What broke a guarantee, one sentence each. */
  readonly problems: readonly string[]
}

const platforms = ['a', 'b', 'c'] as const
const sayEveryMs = 60
const calmMs = 300
const stopWithinMs = 25_000
const ordinaryMs = 30_000

interface Stage {
  readonly drill: Drill
  readonly home: TestHome
  readonly lanes: readonly OpenLane[]
  readonly faulty: Vendor
  readonly log: ReturnType<typeof openLogReader>
}

/** Three platforms that work beside one plugin that does not, in a separate gateway. */
export async function runDrill(drill: Drill, seed: number): Promise<DrillResult> {
  const random = createRandom(seed)
  using home = openTestHome()
  const lanes: OpenLane[] = []
  // The message that lets the fault strike is offered once: it strikes once.
  await using faulty = await openVendor({ keys: true, random, pauseMs: 10, offeredAgain: 0 })
  try {
    for (const platform of platforms) {
      lanes.push(await openVendorLane(home, random, { platform, keys: true, conversations: [`${platform}0`, `${platform}1`], pauseMs: 20 }))
    }
    await addFaulty(home, drill.manifest)
    writeSettings(home, lanes, { port: faulty.port, pauseMs: 5, fault: drill.fault ?? 'none', ...drill.settings })
    await drill.prepare?.(home)
    const stage: Stage = { drill, home, lanes, faulty, log: openLogReader(join(home.home, 'logs', 'gateway.log')) }
    return await play(stage, random)
  } finally {
    for (const lane of lanes) await lane[Symbol.asyncDispose]()
  }
}

function writeSettings(home: TestHome, lanes: readonly OpenLane[], extra: object): void {
  const entries = {
    ...Object.fromEntries(lanes.map(({ platform }) => [`platform-${platform}`, { enabled: true }])),
    [faultyPlugin]: { enabled: true, memory_mb: 160 },
  }
  const chosen = { busy_input_mode: 'queue', reply_to_mode: 'all' }
  const settings = Object.fromEntries(lanes.map((lane) => [lane.platform, { ...chosen, extra: lane.extra }]))
  const config = { plugins: { entries }, gateway: { receive_timeout: 30 }, platforms: { ...settings, faulty: { ...chosen, extra } } }
  home.write('config.yaml', JSON.stringify(config))
}

async function play(stage: Stage, random: Random): Promise<DrillResult> {
  const { drill, home, lanes, faulty } = stage
  const problems: string[] = []
  const waitsForFaulty = drill.strikes !== 'start'
  const peers = [...lanes.map(({ peer }) => peer), ...(waitsForFaulty ? [faulty] : [])]
  const startedAt = performance.now()
  const gateway = startGateway(home, peers, { GATEWAY_ALLOWED_USERS: 'ann', ...drill.environment?.(home) })
  const over = new AbortController()
  let talking: Promise<number> | undefined
  const times: { detectedMs?: number; recoveredMs?: number } = {}
  try {
    await gateway.connected()
    talking = keepTalking(lanes, random, over.signal)
    await pause(calmMs)
    if (drill.strikes !== 'end') await strike(stage, startedAt, times)
    await pause(calmMs)
  } catch (error) {
    problems.push(`${detailOf(error)}\n${stage.log.tail('faulty', 12)}`)
  }
  over.abort()
  const said = (await talking) ?? 0
  await waitUntil('the other platforms have every answer', ordinaryMs, () => isAnswered(lanes)).catch((error: Error) =>
    problems.push(error.message),
  )
  problems.push(...(await stop(stage, gateway, times)))
  const verdicts = lanes.map((lane) => judgeLane({ ...lane.evidence(), lines: [], crashes: new Map() }))
  const answered = verdicts.reduce((sum, verdict) => sum + verdict.right, 0)
  const doubles = verdicts.reduce((sum, verdict) => sum + verdict.doubles, 0)
  problems.push(...verdicts.flatMap(({ details }) => details))
  return {
    ...{ name: drill.name, detectedMs: times.detectedMs, recoveredMs: times.recoveredMs },
    ...{ said, lost: said - answered, doubles, problems },
  }
}

type Times = { detectedMs?: number; recoveredMs?: number }

async function strike({ drill, home, faulty, log }: Stage, startedAt: number, times: Times): Promise<void> {
  const since = drill.strikes === 'start' && !drill.act ? startedAt : performance.now()
  const passed = (): number => performance.now() - since
  const withinMs = drill.withinMs ?? ordinaryMs
  if (drill.act) await drill.act(home)
  else if (drill.strikes === 'message') faulty.say({ id: 'now', conversation: 'f', text: 'now' })
  const { detected, recovered } = drill
  if (detected instanceof RegExp) await waitUntil(`${detected} stood in the log`, withinMs, () => log.has(detected))
  else if (detected !== 'nothing') await look(home, detected)
  if (detected !== 'nothing') times.detectedMs = passed()
  await drill.mend?.(home)
  if (recovered instanceof RegExp) await waitUntil(`${recovered} stood in the log`, withinMs, () => log.has(recovered))
  if (recovered === 'answers') {
    await waitUntil('the fault has struck', withinMs, () => drill.act !== undefined || faulty.accepted.has('now'))
    // What is said at the same moment as the fault would be answered before it.
    await pause(100)
    faulty.say({ id: 'after', conversation: 'f', text: note('after') })
    await waitUntil('the plugin answered again', withinMs, () => faulty.arrivals.some(({ answers }) => answers === 'after'))
  }
  times.recoveredMs = passed()
}

async function look(home: TestHome, { words, says }: { readonly words: readonly string[]; readonly says: RegExp }): Promise<void> {
  const { out, note: said } = await runAgent(home, words)
  if (!says.test(`${out}${said}`)) throw new Error(`agent ${words.join(' ')} does not say ${says}: ${out}${said}`)
}

/** Says something on every platform in turn until the signal fires; answers how often. */
async function keepTalking(lanes: readonly OpenLane[], random: Random, signal: AbortSignal): Promise<number> {
  const speakers = lanes.flatMap((lane) => lane.speakers)
  let said = 0
  while (!signal.aborted) {
    const speaker = speakers[said % speakers.length]
    const id = `${speaker?.conversation}-${said}`
    speaker?.say(id, note(id))
    said += 1
    await pause(random.between(0, 2 * sayEveryMs))
  }
  return said
}

function isAnswered(lanes: readonly OpenLane[]): boolean {
  return lanes.every((lane) => {
    if (!lane.isTaken()) return false
    const { accepted, stored } = lane.evidence()
    // What arrived a moment ago has its receipt only when it stands in the journal.
    const sent = stored.filter(({ parts }) => parts.length > 0 && parts.every(({ state }) => state === 'sent'))
    return sent.length >= accepted.length
  })
}

/** Ends the gateway as a service manager does; nothing of it may stay. */
async function stop({ drill, log }: Stage, gateway: Gateway, times: Times): Promise<readonly string[]> {
  const problems: string[] = []
  const since = performance.now()
  const children = childrenOf(gateway.child.pid ?? 0)
  gateway.child.kill('SIGTERM')
  const killer = setTimeout(() => gateway.child.kill('SIGKILL'), stopWithinMs)
  const { code, signal, note: said } = await gateway.ended
  clearTimeout(killer)
  if (code !== 0) problems.push(`the gateway ended with ${code ?? signal}: ${said.slice(-1000)}`)
  const left = children.filter((pid) => existsSync(`/proc/${pid}`))
  if (left.length > 0) problems.push(`${left.length} children outlived the gateway`)
  if (log.has(/did not clean up/)) problems.push(log.tail('did not clean up', 3))
  if (drill.strikes !== 'end') return problems
  times.recoveredMs = performance.now() - since
  if (drill.detected instanceof RegExp && !log.has(drill.detected)) problems.push(`${drill.detected} does not stand in the log`)
  return problems
}

function childrenOf(pid: number): readonly string[] {
  const file = `/proc/${pid}/task/${pid}/children`
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean) : []
}
