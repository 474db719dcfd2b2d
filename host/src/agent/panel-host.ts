import type { Context, Panel } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { requireHostVerb } from '#kernel/activation/plugin-context.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { limitSkills } from './skills/limit-skills.ts'

type PanelHost = Omit<Parameters<Panel['open']>[0], keyof Context>

/** What is asked of the parts of the program that show panels; a process that shows none has none. */
export interface PanelServices extends Pick<PanelHost, 'logs' | 'toolsets' | 'skillHub'> {
  readonly mcp: Omit<PanelHost['mcp'], 'login'> & {
    /** Tells when something of the login has changed, which goes on after this. */
    login(wish: Parameters<PanelHost['mcp']['login']>[0], changed: () => void): ReturnType<PanelHost['mcp']['login']>
  }
}

export interface PanelHostParts {
  readonly skills: PanelHost['skills']
  readonly services: PanelServices | undefined
  readonly jobs: PanelHost['jobs']
  readonly checkpoints: PanelHost['checkpoints']
  readonly skillProposals: PanelHost['skillProposals']
  readonly memory: PanelHost['memory']
  readonly memoryProposals: PanelHost['memoryProposals']
  readonly conversations: PanelHost['conversations']
  readonly agents: PanelHost['agents']
  readonly changed: () => void
}

type Verb = Parameters<typeof requireHostVerb>[1]

/** What a panel may ask of the host: each verb only where its manifest asks for it. */
export function createPanelHost(contribution: Contribution<'panel'>, parts: PanelHostParts): PanelHost {
  const { skills, services, jobs, checkpoints, skillProposals, memory, memoryProposals, conversations, agents, changed } = parts
  const need = (verb: Verb): void => requireHostVerb(contribution, verb)
  const served = (verb: Verb): PanelServices => {
    need(verb)
    if (services) return services
    throw fail('PLUGIN_FAILED', { plugin: contribution.plugin.manifest.id, during: verb, detail: 'this process shows no panels' })
  }
  return {
    changed,
    skills: limitSkills(skills, () => need('skills')),
    logs: { read: async (wanted) => await served('logs').logs.read(wanted) },
    toolsets: {
      list: async () => await served('toolsets').toolsets.list(),
      turn: async (id, to) => await served('toolsets').toolsets.turn(id, to),
      setUp: async (id) => await served('toolsets').toolsets.setUp(id),
    },
    skillHub: {
      installed: async () => await served('skills.install').skillHub.installed(),
      inspect: async (wanted) => await served('skills.install').skillHub.inspect(wanted),
      check: async (wanted) => await served('skills.install').skillHub.check(wanted),
      install: async (wish) => await served('skills.install').skillHub.install(wish),
      remove: async (wish) => await served('skills.install').skillHub.remove(wish),
    },
    mcp: {
      list: async () => await served('mcp').mcp.list(),
      catalog: async () => await served('mcp').mcp.catalog(),
      install: async (wish) => await served('mcp').mcp.install(wish),
      add: async (wish) => await served('mcp').mcp.add(wish),
      turn: async (wish) => await served('mcp').mcp.turn(wish),
      remove: async (wish) => await served('mcp').mcp.remove(wish),
      test: async (wish) => await served('mcp').mcp.test(wish),
      login: async (wish) => await served('mcp').mcp.login(wish, changed),
      answer: async (wish) => await served('mcp').mcp.answer(wish),
      cancel: async (wish) => await served('mcp').mcp.cancel(wish),
      logout: async (wish) => await served('mcp').mcp.logout(wish),
    },
    jobs: limitJobs(jobs, () => need('jobs')),
    checkpoints: limitCheckpoints(checkpoints, () => need('checkpoints')),
    skillProposals: limitProposals(skillProposals, () => need('skills.approve')),
    memory: limitMemory(memory, () => need('memory')),
    memoryProposals: limitMemoryProposals(memoryProposals, () => need('memory.approve')),
    conversations: limitConversations(conversations, () => need('conversations')),
    agents: limitAgents(agents, () => need('agents')),
  }
}

type Asked = <Args extends readonly unknown[], T>(verb: (...args: Args) => Promise<T>) => (...args: Args) => Promise<T>

/** Each verb looks first whether the manifest asks for it. */
const askedAfter =
  (need: () => void): Asked =>
  (verb) =>
  async (...args) => {
    need()
    return await verb(...args)
  }

function limitJobs(jobs: PanelHost['jobs'], need: () => void): PanelHost['jobs'] {
  const asked = askedAfter(need)
  return {
    ...{ create: asked(jobs.create), list: asked(jobs.list), edit: asked(jobs.edit), act: asked(jobs.act) },
    ...{ due: asked(jobs.due), runs: asked(jobs.runs) },
  }
}

function limitCheckpoints(checkpoints: PanelHost['checkpoints'], need: () => void): PanelHost['checkpoints'] {
  const asked = askedAfter(need)
  const { list, compare, diff, restore, prune } = checkpoints
  return { list: asked(list), compare: asked(compare), diff: asked(diff), restore: asked(restore), prune: asked(prune) }
}

function limitProposals({ list, diff, decide }: PanelHost['skillProposals'], need: () => void): PanelHost['skillProposals'] {
  const asked = askedAfter(need)
  return { list: asked(list), diff: asked(diff), decide: asked(decide) }
}

function limitMemory({ blocks, change }: PanelHost['memory'], need: () => void): PanelHost['memory'] {
  const asked = askedAfter(need)
  return { blocks: asked(blocks), change: asked(change) }
}

function limitMemoryProposals({ list, decide }: PanelHost['memoryProposals'], need: () => void): PanelHost['memoryProposals'] {
  const asked = askedAfter(need)
  return { list: asked(list), decide: asked(decide) }
}

function limitConversations({ list, look, compress }: PanelHost['conversations'], need: () => void): PanelHost['conversations'] {
  const asked = askedAfter(need)
  return { list: asked(list), look: asked(look), compress: asked(compress) }
}

function limitAgents({ list, stop }: PanelHost['agents'], need: () => void): PanelHost['agents'] {
  const asked = askedAfter(need)
  return { list: asked(list), stop: asked(stop) }
}
