import { fail } from '../../contract/errors.ts'
import type { PanelHost } from '../../contract/panel.ts'
import { createTestCheckpoints } from './panels/test-checkpoints.ts'
import { createTestConversations } from './panels/test-conversations.ts'
import { createTestMcp } from './panels/test-mcp.ts'
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
