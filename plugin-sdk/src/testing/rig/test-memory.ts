import { fail } from '../../contract/errors.ts'
import type { PastMessage } from '../../contract/memory.ts'
import type { Manifest } from '../../kinds/manifest.ts'
import type { ToolCall } from '../../kinds/toolset.ts'
import { createTestJobs } from './test-jobs.ts'

type Verbs = Pick<ToolCall, 'memory' | 'sessions' | 'skills' | 'agents' | 'jobs' | 'tools'>
type Agents = NonNullable<Verbs['agents']>
type Tools = NonNullable<Verbs['tools']>

/** One session of one message, for a toolset that looks into earlier ones. */
const past: PastMessage = { session: 'ses_1', title: 'A greeting', role: 'user', at: 1_700_000_000_000, number: 1, text: 'hello' }

/** The memory, the sessions, the skills, the child agents and the other tools of a call in a test, where the manifest asks for them. */
export function createToolVerbs({ permissions }: Manifest): Verbs {
  const declared = permissions.host?.value ?? []
  return {
    ...(declared.includes('memory') ? { memory: createMemory() } : {}),
    ...(declared.includes('sessions') ? { sessions: createSessions() } : {}),
    ...(declared.includes('skills.write') ? { skills: createSkills() } : {}),
    ...(declared.includes('agents.run') ? { agents: createAgents() } : {}),
    ...(declared.includes('jobs') ? { jobs: createTestJobs() } : {}),
    ...(declared.includes('tools.call') ? { tools: { call: callTestTool } } : {}),
  }
}

function createAgents(): Agents {
  return {
    run: async (tasks) => tasks.map(endOf),
    start: async (tasks) => tasks.map((_task, index) => ({ number: index + 1, session: `ses_child${index + 1}` })),
  }
}

function createMemory(): NonNullable<Verbs['memory']> {
  const entries: string[] = []
  return {
    change: async (change) => {
      const at = change.action === 'add' ? entries.length : entries.findIndex((entry) => entry.includes(change.old))
      if (at === -1) throw fail('MEMORY_UNCHANGED', { problem: 'no entry has that text' })
      entries.splice(at, 1, ...(change.action === 'remove' ? [] : [change.text]))
      return { block: { target: change.target, entries: [...entries], limit: 2200 } }
    },
    recall: async (query) => entries.filter((entry) => entry.includes(query)).map((text) => ({ text })),
  }
}

/** One skill of the home, `greeting`, and those that are made. */
function createSkills(): NonNullable<Verbs['skills']> {
  const names = new Set(['greeting'])
  return {
    change: async ({ action, skill }) => {
      if (action === 'create' && names.has(skill)) throw fail('SKILL_UNCHANGED', { problem: `there is a skill ${skill} already` })
      if (action !== 'create' && !names.has(skill)) throw fail('SKILL_NOT_FOUND', { skill })
      names.add(skill)
      return {}
    },
  }
}

function createSessions(): NonNullable<Verbs['sessions']> {
  return {
    find: async ({ query = '' }) => [past].filter(({ text }) => text.includes(query)),
    read: async ({ session, from }) => {
      if (session !== past.session) throw fail('SESSION_NOT_FOUND', { session })
      return [past].filter(({ number }) => number >= from)
    },
  }
}

/** A child agent that says what its task was; one with an empty task fails. */
function endOf({ goal }: Parameters<Agents['run']>[0][number]): Awaited<ReturnType<Agents['run']>>[number] {
  const isGood = goal.trim() !== ''
  return {
    ...{
      session: 'ses_child',
      text: isGood ? `Done: ${goal}` : '',
      model: 'm',
      tokens: { input: 1, output: 1 },
      apiCalls: 1,
      durationMs: 1,
    },
    ...{ status: isGood ? 'completed' : 'failed', exitReason: isGood ? 'completed' : 'interrupted', toolTrace: [] },
  }
}

/** Each tool says how it was called, but one whose name begins with `no_` is not there. */
async function callTestTool(...[name, args]: Parameters<Tools['call']>): ReturnType<Tools['call']> {
  if (name.startsWith('no_')) return { ok: false, text: `There is no tool ${name}.` }
  return { ok: true, text: `${name} ${JSON.stringify(args)}`, data: { name, args } }
}
