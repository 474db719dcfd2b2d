import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { manifestSchema } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createPluginHooks } from '../../../host/src/agent/plugin-hooks.ts'
import { createActivator } from '../../../host/src/kernel/activation/activate.ts'
import { createContext } from '../../../host/src/kernel/activation/plugin-context.ts'
import type { Contribution } from '../../../host/src/kernel/catalog/catalog.ts'
import { systemClock } from '../../../host/src/kernel/clock.ts'
import { createHooks, type HookDispatcher } from '../../../host/src/kernel/hooks/hooks.ts'
import { openLedger } from '../../../host/src/kernel/ledger.ts'
import { silentLog } from '../../../host/src/observe/silent-log.ts'
import { makeHome } from '../bench-home.ts'
import { chatMany, createChatClient } from '../chat-client.ts'
import { type Bench, type Figure, median, type Row } from '../figure.ts'
import { openGateway } from '../gateway-process.ts'
import { firstLine, processorSeconds, startNode } from '../processes.ts'
import { warmUp } from './api-turns.ts'

const rounds = 14
const warmingUp = 4
const turns = 1024
/** Their spans fill a request. */
const turnsAtOnce = 256
const spansPerTurn = 2
/** A third of what it is by default: a round ends when all of it has arrived. */
const intervalSeconds = 5

/**
 * What measuring costs beside the turn that is measured: the plugin as it is built and opened, told the ends of turns by the host's own hooks,
 * until a collector has all. It is not told by two gateways, nor by one that switches it on and off: what two of the same program take
 * differs by up to a fifth, and what one takes from one second to the next as well.
 */
export const telemetry: Figure = {
  name: 'telemetry',
  async measure(bench) {
    const model = await bench.model()
    await using gateway = await openGateway(bench, { home: makeHome(bench, 'telemetry', { model: model.url }) })
    using client = createChatClient()
    await using measured = await openMeasured(bench)
    await chatMany(client, gateway.url, { ...warmUp, concurrency: 16, signal: bench.signal })
    const takeTurn = async (): Promise<number> => {
      const before = processorSeconds(gateway.pid)
      const { done } = await chatMany(client, gateway.url, { ms: 1000, concurrency: 16, signal: bench.signal })
      return ((processorSeconds(gateway.pid) - before) * 1e6) / done
    }
    const pairs: Pair[] = []
    for (let round = 0; round < warmingUp + rounds; round++) pairs.push({ turn: await takeTurn(), measuring: await measured.take() })
    return [describe(pairs.slice(warmingUp), await measured.seen())]
  },
}

/** Microseconds of processor time. */
interface Pair {
  readonly turn: number
  readonly measuring: number
}

interface Seen {
  readonly spans: number
  readonly metrics: number
}

interface Measured extends AsyncDisposable {
  /** What measuring a turn takes, in microseconds of processor time. */
  take(): Promise<number>
  seen(): Promise<Seen>
}

async function openMeasured(bench: Bench): Promise<Measured> {
  const collector = startNode(bench, [join(bench.root, 'test/bench/programs/collector.mjs')])
  const endpoint = await firstLine(collector)
  const hooks = createHooks({ clock: systemClock, log: silentLog })
  const plugin = openPlugin(bench, hooks, {
    endpoint,
    service_name: 'agent',
    compression: 'gzip',
    interval_seconds: intervalSeconds,
    prometheus: { host: '127.0.0.1', port: 0 },
  })
  const seen = async (): Promise<Seen> => (await fetch(`${endpoint}/seen`, { signal: bench.signal })).json() as Promise<Seen>
  const bare = createHooks({ clock: systemClock, log: silentLog })
  let told = 0
  /** Asking what has arrived costs too: once where all goes well, as where nothing is told. */
  const arrived = async (least: number, pauseMs: number): Promise<void> => {
    for (const giveUpAt = performance.now() + 30_000; ; ) {
      await sleep(pauseMs, undefined, { signal: bench.signal })
      const { spans } = await seen()
      if (spans >= least * spansPerTurn) return
      if (performance.now() > giveUpAt) throw fail('INTERNAL', { detail: `${told} turns sent ${spans} spans` })
    }
  }
  const tell = async (to: HookDispatcher): Promise<number> => {
    const before = process.cpuUsage()
    for (let turn = 1; turn <= turns; turn++) {
      if (to.has('turn.end')) tellTurn(to, `trn_${told++}`)
      await setImmediate()
      // A busy gateway is told some hundred turns a second: what is told without a pause would have to be dropped.
      if (turn % turnsAtOnce === 0) await (turn === turns ? arrived(told, 1000 * intervalSeconds + 500) : arrived(told - turnsAtOnce, 250))
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / turns
  }
  const take = async (): Promise<number> => {
    const nothing = await tell(bare)
    return (await tell(hooks)) - nothing
  }
  const close = async (): Promise<void> => {
    await plugin.close()
    hooks.close()
    bare.close()
    await collector[Symbol.asyncDispose]()
  }
  return { take, seen, [Symbol.asyncDispose]: close }
}

/** The plugin as it is built. */
function openPlugin({ root, folder }: Bench, hooks: HookDispatcher, config: object) {
  const home = join(realpathSync(root), 'plugins/hooks/telemetry')
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(home, 'agent.plugin.json'), 'utf8')))
  const plugin = { manifest, root: home, source: 'bundled', warnings: [] }
  const [spec] = manifest.contributes.hooks
  const contribution = {
    kind: 'hooks',
    id: 'telemetry',
    plugin,
    spec,
    settings: { key: '', value: config },
  } as unknown as Contribution<'hooks'>
  const ledger = openLedger('telemetry', silentLog)
  const context = createContext({
    ...{ contribution, config, ledger, log: silentLog, clock: systemClock, profile: folder, agentVersion: '0.0.0' },
    secrets: { get: async () => '', find: async () => undefined, set: async () => undefined },
    state: { get: async () => undefined, set: async () => undefined, delete: async () => undefined },
    models: { ask: async () => '' },
  })
  const taps = createPluginHooks({
    ...{ hooks, clock: systemClock, catalog: { of: () => [contribution] as never }, newCallId: () => crypto.randomUUID() },
    activator: createActivator({ clock: systemClock, log: silentLog }),
    openContext: async () => ({ context, close: async () => void (await ledger.dispose()) }),
  })
  taps.renew()
  return taps
}

/** As the host tells it: an object that is copied first and gets more keys then takes V8 of Node 20 forty times as long. */
function tellTurn(hooks: HookDispatcher, turn: string): void {
  const usage = { input: 2100, output: 12, cacheRead: 1900, cacheWrite: 0, reasoning: 0 }
  const session = `ses_${turn}`
  const [source, provider, model, error] = ['api', 'custom', 'bench', null] as const
  void hooks.call('model.end', { turn, session, source, provider, model, usage, error, durationMs: 9, firstTokenMs: 4, stop: 'stop' })
  void hooks.call('turn.end', { turn, session, source, provider, model, usage, error, status: 'complete', calls: 1, durationMs: 12 })
}

/** A gateway that is busy is as fast as its processor lets it: what a turn takes of that is what is lost in turns a second. */
function describe(pairs: readonly Pair[], { spans, metrics }: Seen): Row {
  const cost = median(pairs.map(({ turn, measuring }) => measuring / (turn + measuring)))
  return {
    figure: 'telemetry-cost',
    budget: '≤ 3 % of turns per second',
    floor: `${median(pairs.map(({ turn }) => turn)).toFixed(0)} µs a turn without`,
    value: `${(100 * cost).toFixed(1)} %`,
    ok: cost <= 0.03 && metrics > 0,
    note: `${median(pairs.map(({ measuring }) => measuring)).toFixed(0)} µs of processor time until the collector has it, median of the rounds' own ratios; ${spans} spans, and metrics ${metrics} times`,
  }
}
