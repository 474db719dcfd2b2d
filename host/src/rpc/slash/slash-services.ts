import { compressSession, readPressure } from '#agent/context/session-length.ts'
import type { OpenAgent } from '#agent/open-agent.ts'
import type { MemoryDesk } from '#commands/answers/answer-memory.ts'
import type { WritingDesk } from '#commands/answers/answer-skills.ts'
import type { SlashServices } from '#commands/slash.ts'
import { readVersion } from '#config/version.ts'
import { findInstance, readGatewayState } from '#gateway/instance/instance.ts'
import { wishFor } from '#gateway/links/paused-platforms.ts'
import { openPrices } from '#models/catalog/price-list.ts'
import type { HomeContext } from '../home-context.ts'

/** The memory of an agent, for those who look at it. */
export function createMemoryDesk(
  context: Pick<HomeContext, 'environment'>,
  { memory, home }: Pick<OpenAgent, 'memory' | 'home'>,
): MemoryDesk {
  return {
    memory,
    setApproval: async (on) => {
      const { setConfigValue } = await import('#config/edit.ts')
      setConfigValue({ home, processEnvironment: context.environment }, 'memory.write_approval', String(on))
      memory.setApproval(on)
    },
  }
}

/** The skills that an agent writes, for those who decide about them. */
export function createWritingDesk(
  context: Pick<HomeContext, 'environment'>,
  { skillWriting, home }: Pick<OpenAgent, 'skillWriting' | 'home'>,
): WritingDesk {
  return {
    writing: skillWriting,
    setApproval: async (on) => {
      const { setConfigValue } = await import('#config/edit.ts')
      setConfigValue({ home, processEnvironment: context.environment }, 'skills.write_approval', String(on))
      skillWriting.setApproval(on)
    },
  }
}

/** What slash commands may do, at the terminal, in a browser and in the gateway. */
export function createSlashServices(context: HomeContext, agent: OpenAgent): SlashServices {
  return {
    sessions: agent.store.sessions,
    usage: agent.store.usage,
    jobs: agent.jobs,
    memory: createMemoryDesk(context, agent),
    skillWriting: createWritingDesk(context, agent),
    checkpoints: agent.checkpoints,
    skills: agent.skills,
    prices: openPrices(agent),
    catalog: agent.catalog,
    version: readVersion(context.installRoot),
    now: () => agent.clock.now(),
    enablePlugin: async (plugin, enabled) => {
      const { setConfigValue } = await import('#config/edit.ts')
      setConfigValue({ home: agent.home, processEnvironment: context.environment }, `plugins.entries.${plugin}.enabled`, String(enabled))
    },
    setHome: async (platform, target) => {
      const { setConfigValue } = await import('#config/edit.ts')
      const key = `platforms.${platform}.home_channel`
      setConfigValue({ home: agent.home, processEnvironment: context.environment }, key, target)
      return agent.loaded.overriddenBy(key)?.name
    },
    model: async (args, surface, signal) => {
      const { answerModel } = await import('./answer-model.ts')
      return answerModel({ ...context, signal, note: () => undefined }, agent, args, surface)
    },
    compress: (session, focus, signal) => compressSession(agent, session, focus, signal),
    alone: agent.turns.alone,
    pressure: (session) => readPressure(agent, session),
    update: async (what, signal) => (await import('../update/run-update.ts')).runUpdate({ ...context, signal }, what),
    agents: agent.turns.children,
    reloadTools: async (signal) => {
      const sources = await agent.toolbox.refresh(undefined, signal)
      const none = 'There are no MCP servers. agent mcp add adds one.'
      return sources.length === 0 ? none : sources.map(({ text }) => text).join('\n')
    },
    runCommand: agent.commands.run,
    platforms: {
      states: () => (findInstance(agent.home) ? (readGatewayState(agent.home)?.platforms ?? []) : undefined),
      wish: (platform, wish) => wishFor(agent.store.kv, platform, wish),
    },
  }
}
