import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { type HookEvents, manifestSchema } from '@agent/plugin-sdk'
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

const rounds = 14
const warmingUp = 2
/** As many turns as a busy gateway holds in the second after which measurements are sent. */
const turns = 400
const spansPerTurn = 2

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
    interval_seconds: 1,
    compression: 'gzip',
    prometheus: { host: '127.0.0.1', port: 0 },
  })
  const seen = async (): Promise<Seen> => (await fetch(`${endpoint}/seen`, { signal: bench.signal })).json() as Promise<Seen>
  const bare = createHooks({ clock: systemClock, log: silentLog })
  let told = 0
  const tell = async (to: HookDispatcher): Promise<number> => {
    const before = process.cpuUsage()
    for (let turn = 0; turn < turns; turn++) {
      if (to.has('turn.end')) tellTurn(to, `trn_${told++}`)
      await setImmediate()
    }
    // Asking what has arrived costs too: once where all goes well, as without anything to tell.
    for (const giveUpAt = performance.now() + 10_000; ; ) {
      await sleep(1200, undefined, { signal: bench.signal })
      const { spans } = await seen()
      if (spans === told * spansPerTurn) break
      if (performance.now() > giveUpAt) throw fail('INTERNAL', { detail: `${told} turns sent ${spans} spans` })
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

function tellTurn(hooks: HookDispatcher, turn: string): void {
  const usage = { input: 2100, output: 12, cacheRead: 1900, cacheWrite: 0, reasoning: 0 }
  const about = { turn, session: `ses_${turn}`, source: 'api', provider: 'custom', model: 'bench', usage, error: null }
  const call: HookEvents['model.end'] = { ...about, durationMs: 9, firstTokenMs: 4, stop: 'stop' }
  const end: HookEvents['turn.end'] = { ...about, status: 'complete', calls: 1, durationMs: 12 }
  void hooks.call('model.end', call)
  void hooks.call('turn.end', end)
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
