import { fail } from '../../contract/errors.ts'
import type { PanelHost } from '../../contract/panel.ts'
import { createTestCheckpoints } from './panels/test-checkpoints.ts'
import { createTestConversations } from './panels/test-conversations.ts'
import { createPanelAgents } from './panels/test-panel-agents.ts'
import { createMemoryProposals, createPanelMemory } from './panels/test-panel-memory.ts'
import { createTestProposals, createTestSkillHub } from './panels/test-skill-hub.ts'
import { createTestJobs } from './test-jobs.ts'

type Verb = 'logs' | 'toolsets' | 'jobs' | 'checkpoints' | 'skills.install' | 'skills.approve' | 'mcp' | 'memory' | 'memory.approve'
type Need = (verb: Verb | 'conversations' | 'agents') => void

/** What the tests have in place of what a panel may ask of the host, where its manifest asks for it. */
export function createPanelVerbs(need: Need): Omit<PanelHost, 'skills'> {
  const enabled = { talk: true, paint: false }
  const isKnown = (id: string): id is keyof typeof enabled => Object.hasOwn(enabled, id)
  const tools = [{ name: 'say', description: 'Says it.' }]
  return {
    changed: () => undefined,
    jobs: createPanelJobs(need),
    checkpoints: createTestCheckpoints(() => need('checkpoints')),
    skillHub: createTestSkillHub(() => need('skills.install')),
    skillProposals: createTestProposals(() => need('skills.approve')),
    mcp: createTestMcp(() => need('mcp')),
    agents: createPanelAgents(() => need('agents')),
    memory: createPanelMemory(() => need('memory')),
    memoryProposals: createMemoryProposals(() => need('memory.approve')),
    conversations: createTestConversations(() => need('conversations')),
    logs: {
      read: async ({ count, level }) => {
        need('logs')
        const lines = [
          { at: 1_700_000_000_000, level: 'info', text: 'agent: it began' },
          { at: 1_700_000_060_000, level: 'warn', text: 'agent: it is slow' },
          { level: '', text: 'of another program' },
        ]
        return { lines: lines.filter((line) => level === undefined || level === 'info' || line.level === level).slice(-count) }
      },
    },
    toolsets: {
      list: async () => {
        need('toolsets')
        return [
          { id: 'talk', description: 'Talks.', enabled: enabled.talk, setUp: 'Learn the words.', tools },
          { id: 'paint', description: 'Paints.', enabled: enabled.paint, problem: 'no brush is ready', tools: [] },
        ]
      },
      turn: async (id, to) => {
        need('toolsets')
        if (!isKnown(id)) throw fail('PLUGIN_NOT_FOUND', { id })
        enabled[id] = to === 'on'
        return [`${id} is ${to}.`]
      },
      setUp: async (id) => {
        need('toolsets')
        if (!isKnown(id)) throw fail('PLUGIN_NOT_FOUND', { id })
        return [`${id} is set up.`]
      },
    },
  }
}

function createPanelJobs(need: Need): PanelHost['jobs'] {
  const jobs = createTestJobs()
  const asked = <Args extends readonly unknown[], T>(verb: (...args: Args) => Promise<T>): ((...args: Args) => Promise<T>) => {
    return async (...args) => {
      need('jobs')
      return verb(...args)
    }
  }
  return {
    ...{ create: asked(jobs.create), list: asked(jobs.list), edit: asked(jobs.edit), act: asked(jobs.act) },
    due: asked(async (until) => {
      const found = (await jobs.list()).map(({ id, name, nextAt }) => ({ at: nextAt ?? Number.POSITIVE_INFINITY, job: id, name }))
      return found.filter(({ at }) => at <= until)
    }),
    runs: asked(async ({ job }) => {
      const found = (await jobs.list()).filter(({ id, name }) => job === undefined || id === job || name === job)
      if (job !== undefined && found.length === 0) throw fail('JOB_NOT_FOUND', { job })
      return found.map(({ id, name }) => ({ at: 1_700_000_000_000, job: id, name, state: 'ok, sent', text: 'It is done.' }))
    }),
  }
}

/** One server of the settings, and one of the catalog that needs a variable. */
function createTestMcp(need: () => void): PanelHost['mcp'] {
  type Server = Awaited<ReturnType<PanelHost['mcp']['list']>>[number]
  const blank = { env: [], headers: [], enabled: true, trust: 'untrusted' } as const
  const servers = new Map<string, Server>([
    ['notes', { ...blank, name: 'notes', transport: 'stdio', command: 'notes-server', args: ['-q'] }],
  ])
  const offer = {
    name: 'far',
    description: 'Looks far.',
    docsUrl: 'https://far.example',
    env: [{ name: 'FAR_TOKEN', prompt: 'A token' }],
    words: '',
  }
  const find = (name: string): Server => {
    need()
    const found = servers.get(name)
    if (!found) throw fail('MCP_SERVER_UNKNOWN', { server: name })
    return found
  }
  return {
    list: async () => {
      need()
      return [...servers.values()]
    },
    catalog: async () => {
      need()
      return [{ ...offer, installed: servers.has('far') }]
    },
    install: async ({ name, env }) => {
      need()
      if (name !== 'far') throw fail('MCP_SERVER_UNKNOWN', { server: name })
      servers.set(name, { ...blank, name, transport: 'http', url: 'https://far.example/mcp', env: Object.keys(env) })
      return [`${name} is an MCP server now.`]
    },
    add: async ({ name, command, args, url, env = {}, headers = {}, trust = 'untrusted' }) => {
      need()
      if (servers.has(name)) throw fail('MCP_SERVER_EXISTS', { server: name })
      const way =
        command === undefined ? { transport: 'http' as const, url: url ?? '' } : { transport: 'stdio' as const, command, args: args ?? [] }
      servers.set(name, { ...blank, name, ...way, env: Object.keys(env), headers: Object.keys(headers), trust })
      return [`${name} is an MCP server now.`]
    },
    turn: async ({ name, to }) => {
      servers.set(name, { ...find(name), enabled: to === 'on' })
      return [`${name} is ${to}.`]
    },
    remove: async ({ name }) => {
      servers.delete(find(name).name)
      return [`${name} is no MCP server any more.`]
    },
    test: async ({ name }) => {
      const { enabled } = find(name)
      return { ok: enabled, said: [enabled ? `${name} has 2 tools.` : `${name} is off.`] }
    },
  }
}
