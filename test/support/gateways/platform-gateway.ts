import { fileURLToPath } from 'node:url'
import type { Clock } from '@agent/plugin-sdk'
import { openAgent } from '../../../host/src/agent/open-agent.ts'
import { openGateway } from '../../../host/src/gateway/gateway.ts'
import { openPrices } from '../../../host/src/models/catalog/price-list.ts'
import { createMemoryDesk, createWritingDesk } from '../../../host/src/rpc/slash/slash-services.ts'
import { importSourceEntry } from '../source-entry.ts'
import type { TestHome } from '../test-home.ts'

const installRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** A gateway in this process, with the offline model and the platforms from source. */
export interface PlatformGateway extends AsyncDisposable {
  /** The state of a platform, and the code of what is wrong with it. */
  state(platform: string): string
  /** Whether every message has its answer, and every answer was sent. */
  isIdle(): Promise<boolean>
}

export async function openPlatformGateway(
  home: TestHome,
  variables: Readonly<Record<string, string>>,
  clock?: Clock,
): Promise<PlatformGateway> {
  const agent = await openAgent({
    installRoot,
    environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline', AGENT_OFFLINE_OPEN: 'true', ...variables },
    profile: undefined,
    workspace: home.work,
    logName: 'gateway',
    note: () => undefined,
    importEntry: importSourceEntry,
    ...(clock ? { clock } : {}),
  })
  const { sessions, usage } = agent.store
  const { catalog } = agent
  const gateway = await openGateway({
    ...agent,
    services: {
      ...{
        sessions,
        usage,
        jobs: agent.jobs,
        prices: openPrices(agent),
        memory: createMemoryDesk({ environment: {} }, agent),
        skillWriting: createWritingDesk({ environment: {} }, agent),
        checkpoints: agent.checkpoints,
        skills: agent.skills,
        catalog,
        version: '0.0.0',
        enablePlugin: async () => undefined,
        compress: async () => '',
        update: async () => '',
        reloadTools: async () => '',
        now: () => agent.clock.now(),
        alone: agent.turns.alone,
        agents: agent.turns.children,
        pressure: async () => undefined,
        setHome: async () => undefined,
      },
      model: async () => ({ said: '', kept: false }),
      runCommand: agent.commands.run,
      platforms: { states: () => undefined, wish: async () => undefined },
    },
    random: () => 0,
  })
  return {
    state: (platform) => {
      const { state, error } = gateway.platforms().find((one) => one.platform === platform) ?? {}
      return error ? `${state} ${error.code}` : `${state}`
    },
    isIdle: async () => (await agent.store.journal.pending()).every(({ inbox, outbox }) => inbox + outbox === 0),
    [Symbol.asyncDispose]: async () => {
      await gateway.close()
      await agent.close()
    },
  }
}
