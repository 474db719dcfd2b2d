import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeHome } from '../bench-home.ts'
import { type Bench, type Figure, median, type Row } from '../figure.ts'
import { openGateway } from '../gateway-process.ts'
import { processorSeconds, residentMemory } from '../processes.ts'

const plugins = 20
const restMs = 5_000

/** The worst case of memory: twenty plugins of others that share nothing, each in a separate child. */
export const thirdParty: Figure = {
  name: 'third-party',
  async measure(bench) {
    const bare = await measureFork(bench)
    const without = await observe(bench, 0)
    const crowd = await observe(bench, plugins)
    return [childrenRow(crowd, bare), hostRow(crowd, without)]
  },
}

interface Observed {
  /** MiB of each child. */
  readonly children: readonly number[]
  /** MiB that the children would set free: pages that they share count once. */
  readonly own: number
  readonly host: number
  /** Milliseconds of processor time a second, while nothing happens: the gateway, and all its children. */
  readonly hostWork: number
  readonly childWork: number
}

async function observe(bench: Bench, count: number): Promise<Observed> {
  const { url } = await bench.model()
  const ids = Array.from({ length: count }, (_, index) => `line-${index}`)
  const home = makeHome(bench, `third-party-${count}`, { model: url, config: switchOn(ids) })
  for (const id of ids) install(home, id)
  await using gateway = await openGateway(bench, { home })
  for (const giveUpAt = performance.now() + 60_000; ids.some((id) => !gateway.platforms().includes(id)); await sleep(50))
    if (performance.now() > giveUpAt) throw new Error(`only ${gateway.platforms().length} of ${count} platforms are connected`)
  await sleep(restMs, undefined, { signal: bench.signal })
  const started = readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  // Beside each of them waits a shell that ends it when the gateway is gone.
  const pids = started.filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'node')
  if (pids.length !== count) throw new Error(`there are ${pids.length} children of ${count} plugins`)
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0)
  const before = [processorSeconds(gateway.pid), sum(pids.map(processorSeconds))] as const
  await sleep(restMs, undefined, { signal: bench.signal })
  const after = [processorSeconds(gateway.pid), sum(pids.map(processorSeconds))] as const
  return {
    children: pids.map(residentMemory),
    own: sum(pids.map(proportionalMemory)),
    host: residentMemory(gateway.pid),
    hostWork: ((after[0] - before[0]) * 1e6) / restMs,
    childWork: ((after[1] - before[1]) * 1e6) / restMs,
  }
}

function switchOn(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return []
  // Their processes are counted and weighed: a sandbox would add its own.
  return ['plugins:', '  sandbox: off', '  entries:', ...ids.map((id) => `    third-${id}: { enabled: true }`)]
}

/** A platform that hears nothing; what it declares is declared by no other. */
function install(home: string, id: string): void {
  const folder = join(home, 'plugins', 'local', `third-${id}`)
  mkdirSync(folder, { recursive: true })
  const platform = {
    ...{ id, label: id, entry: 'platform.js', door: 'messaging', reach: 'owner', reception: 'continuous', onByDefault: true },
    ...{ capabilities: {}, limits: {}, configSchema: { type: 'object', properties: {}, additionalProperties: false } },
  }
  const manifest = {
    ...{ manifestVersion: 1, id: `third-${id}`, name: id, description: 'made up', version: '1.0.0', license: 'MIT', api: { platform: 1 } },
    contributes: { platforms: [platform] },
    permissions: { net: { value: [`${id}.example.net`], reason: 'Each has its own service.' } },
  }
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const code =
    "export default { connect: async () => ({ send: async () => ({ status: 'sent', platformId: '1' }), lastHeard: async () => Date.now(), close: async () => undefined }) }"
  writeFileSync(join(folder, 'platform.js'), code)
}

/** MiB of a process that fork() starts and that waits for a message. */
async function measureFork(bench: Bench): Promise<number> {
  const child = fork(join(bench.root, 'test/bench/programs/fork-ping.mjs'))
  try {
    child.send('ready?')
    await once(child, 'message')
    await sleep(1000)
    return residentMemory(child.pid ?? 0)
  } finally {
    child.kill()
  }
}

function proportionalMemory(pid: number): number {
  return Number(/^Pss:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024
}

function childrenRow({ children, own, childWork }: Observed, bare: number): Row {
  const each = median(children)
  const total = children.reduce((sum, one) => sum + one, 0)
  return {
    figure: 'third-party-children',
    budget: '≤ 60 MiB each',
    floor: `${bare.toFixed(0)} MiB bare fork`,
    value: `${total.toFixed(0)} MiB (${each.toFixed(1)} each)`,
    ok: each <= 60,
    note: `resident memory of ${plugins} children with one plugin each, idle; ${own.toFixed(0)} MiB where pages that they share count once; ${childWork.toFixed(1)} ms of work a second in all`,
  }
}

function hostRow(crowd: Observed, without: Observed): Row {
  return {
    figure: 'third-party-host',
    budget: '–',
    floor: `${without.host.toFixed(0)} MiB without them`,
    value: `${crowd.host.toFixed(0)} MiB`,
    ok: true,
    note: `the gateway beside ${plugins} children; ${crowd.hostWork.toFixed(1)} ms of work a second while nothing happens, ${without.hostWork.toFixed(1)} without them`,
  }
}
