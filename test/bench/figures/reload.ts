import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fail } from '@agent/plugin-sdk/errors'
import { type OpenAgent, openAgent } from '../../../host/src/agent/open-agent.ts'
import { type Gateway, openGateway } from '../../../host/src/gateway/gateway.ts'
import { openPrices } from '../../../host/src/models/catalog/price-list.ts'
import { createMemoryDesk, createWritingDesk } from '../../../host/src/rpc/slash/slash-services.ts'
import { type Bench, type Figure, median, type Row } from '../figure.ts'

const reloads = 50
const budgetMib = 2

interface Soak {
  readonly said: number
  readonly answered: number
  readonly connects: number
}

/** What stays in the host after fifty reloads of a plugin in a child, beside a platform that talks all the time. */
export const reload: Figure = {
  name: 'reload',
  async measure(bench) {
    const home = join(bench.folder, 'reload')
    for (const id of ['talks', 'other']) addPlatform(bench, home, id)
    writeConfig(home, 0)
    const agent = await openAgent({
      installRoot: bench.root,
      environment: {
        PATH: process.env.PATH,
        HOME: bench.folder,
        AGENT_HOME: home,
        AGENT_INFERENCE_PROVIDER: 'offline',
        API_SERVER_PORT: '0',
      },
      profile: undefined,
      logName: 'gateway',
      note: () => undefined,
    })
    try {
      const gateway = await openGateway({ ...agent, services: servicesOf(agent), isOfflineByDefault: () => false, random: () => 0 })
      try {
        return [await measureReloads(home, gateway, () => agent.hosts?.children().length ?? 0)]
      } finally {
        await gateway.close()
      }
    } finally {
      await agent.close()
    }
  },
}

async function measureReloads(home: string, gateway: Gateway, children: () => number): Promise<Row> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const kept: number[] = []
  const took: number[] = []
  for (let number = 1; number <= reloads; number++) {
    writeConfig(home, number)
    const startedAt = performance.now()
    const { parts } = await gateway.reload()
    took.push(performance.now() - startedAt)
    const [part] = parts
    if (parts.length !== 1 || part?.did !== 'replaced' || part.state !== 'connected')
      throw fail('INTERNAL', { detail: `reload ${number} did ${JSON.stringify(parts)}` })
    collect()
    const { heapUsed, external } = process.memoryUsage()
    kept.push((heapUsed + external) / 1024 / 1024)
  }
  const { said, answered, connects } = (globalThis as Record<symbol, unknown>)[Symbol.for('reload soak')] as Soak
  const [early, late] = [median(kept.slice(4, 15)), median(kept.slice(-10))]
  // The message that is on its way now is not lost.
  const lost = Math.max(0, said - answered - 1)
  return {
    figure: 'reload-growth',
    budget: `≤ ${budgetMib} MiB, 0 lost`,
    floor: `${early.toFixed(1)} MiB`,
    value: `${(late - early).toFixed(2)} MiB, ${lost} lost`,
    ok: late - early < budgetMib && lost === 0 && connects === 1 && children() === 1,
    note: `heap and external after collection, reloads 41 to 50 against 5 to 15; ${answered} messages beside them, ${connects} connection; ${children()} child left; one reload ${median(took).toFixed(0)} ms`,
  }
}

function servicesOf(agent: OpenAgent): Parameters<typeof openGateway>[0]['services'] {
  const { store, catalog, commands, turns } = agent
  const platforms = { states: () => undefined, wish: async () => undefined }
  const nothing = {
    compress: async () => '',
    update: async () => '',
    reloadTools: async () => '',
    now: () => agent.clock.now(),
    pressure: async () => undefined,
    setHome: async () => undefined,
    model: async () => ({ said: '', kept: false }),
    enablePlugin: async () => undefined,
  }
  return {
    ...nothing,
    alone: turns.alone,
    agents: turns.children,
    sessions: store.sessions,
    usage: store.usage,
    jobs: agent.jobs,
    prices: openPrices(agent),
    memory: createMemoryDesk({ environment: {} }, agent),
    skillWriting: createWritingDesk({ environment: {} }, agent),
    checkpoints: agent.checkpoints,
    skills: agent.skills,
    catalog,
    version: '0.0.0',
    platforms,
    runCommand: commands.run,
  }
}

/** `talks` runs in this process, where it can be counted; `other` in a child. */
function writeConfig(home: string, word: number): void {
  const entries = { 'platform-talks': { enabled: true, isolation: 'inproc' }, 'platform-other': { enabled: true } }
  const platforms = { talks: { allow_from: ['ann'], extra: { talks: true } }, other: { extra: { word } } }
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ plugins: { entries }, platforms }))
}

function addPlatform({ root }: Bench, home: string, id: string): void {
  const folder = join(home, 'plugins', 'local', `platform-${id}`)
  mkdirSync(join(folder, 'dist'), { recursive: true })
  copyFileSync(join(root, 'test', 'bench', 'programs', 'soak-platform.mjs'), join(folder, 'dist', 'platform.js'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const spec = {
    id,
    entry: 'dist/platform.js',
    label: id,
    door: 'messaging',
    reach: 'owner',
    onByDefault: true,
    capabilities: {},
    limits: {},
  }
  const about = { manifestVersion: 1, id: `platform-${id}`, name: id, description: 'made up', version: '1.0.0', license: 'MIT' }
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify({ ...about, api: { platform: 1 }, contributes: { platforms: [spec] } }))
}
