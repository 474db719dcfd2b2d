import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock, Platform, PlatformContext } from '@agent/plugin-sdk'
import { openAgent } from '../../../host/src/agent/open-agent.ts'
import { openGateway } from '../../../host/src/gateway/gateway.ts'
import type { LinkStatus } from '../../../host/src/gateway/links/link-status.ts'
import { openPrices } from '../../../host/src/models/catalog/price-list.ts'
import { createMemoryDesk, createWritingDesk } from '../../../host/src/rpc/slash/slash-services.ts'
import { importSourceEntry } from '../source-entry.ts'
import type { TestHome } from '../test-home.ts'

const installRoot = fileURLToPath(new URL('../../..', import.meta.url))

const manifest = {
  ...{ manifestVersion: 1, id: 'platform-talk', name: 'Talk', description: 'made up', version: '1.0.0', license: 'MIT' },
  api: { platform: 1 },
  contributes: {
    platforms: [
      {
        ...{ id: 'talk', entry: 'dist/platform.js', label: 'Talk', door: 'messaging', reach: 'owner', onByDefault: true },
        ...{ capabilities: {}, limits: {} },
      },
    ],
  },
}

/** A gateway in this process with a platform `talk`, in which the test writes as `ann`. */
export interface TalkGateway extends AsyncDisposable {
  state(): LinkStatus['state'] | undefined
  /** How often the platform was connected. */
  connected(): number
  /** Rejects while the platform is not connected. */
  say(id: string, text: string): Promise<void>
  /** Resolves with the next answer; one that came while nobody waited is next. */
  answer(): Promise<string>
}

export interface TalkOptions {
  /** The standard header of the platform. */
  readonly replyPrefix?: string
  /** More of `platforms.talk`. */
  readonly settings?: string
}

/** Puts the platform and this `config.yaml` into a home. */
export function addTalk(home: TestHome, config = '', { replyPrefix = '', settings }: TalkOptions = {}): void {
  const folder = join(home.home, 'plugins', 'local', 'platform-talk')
  mkdirSync(folder, { recursive: true })
  const platforms = manifest.contributes.platforms.map((spec) => ({ ...spec, replyPrefix }))
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify({ ...manifest, contributes: { platforms } }))
  const own = ['allow_from: [ann]', ...(settings === undefined ? [] : [settings])].join(', ')
  const lines = ['plugins: { entries: { platform-talk: { enabled: true } } }', `platforms: { talk: { ${own} } }`, config]
  home.write('config.yaml', `${lines.join('\n')}\n`)
}

export async function openTalkGateway(home: TestHome, clock: Clock): Promise<TalkGateway> {
  let context: PlatformContext | undefined
  let connected = 0
  const waiting: ((text: string) => void)[] = []
  const unheard: string[] = []
  const talk: Platform = {
    connect: async (given) => {
      context = given
      connected += 1
      return {
        send: async ({ text }) => {
          const hear = waiting.shift()
          if (hear) hear(text)
          else unheard.push(text)
          return { status: 'sent', platformId: `${clock.now()}` }
        },
        lastHeard: async () => clock.now(),
        close: async () => {
          context = undefined
        },
      }
    },
  }
  const agent = await openAgent({
    installRoot,
    environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' },
    profile: undefined,
    logName: 'gateway',
    note: () => undefined,
    clock,
    importEntry: async (contribution) => (contribution.id === 'talk' ? { default: talk } : importSourceEntry(contribution)),
  })
  const { catalog, store } = agent
  const platforms = { states: () => undefined, wish: async () => undefined }
  const services = {
    sessions: store.sessions,
    usage: store.usage,
    jobs: agent.jobs,
    prices: openPrices(agent),
    catalog,
    version: '0.0.0',
    compress: async () => '',
    update: async () => '',
    reloadTools: async () => '',
    now: () => agent.clock.now(),
    alone: agent.turns.alone,
    agents: agent.turns.children,
    pressure: async () => undefined,
    memory: createMemoryDesk({ environment: {} }, agent),
    skillWriting: createWritingDesk({ environment: {} }, agent),
    checkpoints: agent.checkpoints,
    skills: agent.skills,
    setHome: async () => undefined,
    model: async () => ({ said: '', kept: false }),
    enablePlugin: async () => undefined,
    runCommand: agent.commands.run,
    platforms,
  }
  const gateway = await openGateway({ ...agent, services, isOfflineByDefault: () => false, random: () => 0 })
  return {
    state: () => gateway.platforms().find(({ platform }) => platform === 'talk')?.state,
    connected: () => connected,
    async say(id, text) {
      if (!context) throw new Error('talk is not connected')
      const people = { conversation: { id: 'ann', kind: 'dm' }, sender: { id: 'ann', isBot: false } } as const
      await context.receive({ ...people, id, account: 'bot', text, addressed: true })
    },
    async answer() {
      return unheard.shift() ?? new Promise((resolve) => waiting.push(resolve))
    },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await agent.close()
    },
  }
}
