import type { Call, MemoryChange, ToolCall } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { Past } from '#store/past.ts'
import type { CallOther, ToolTurn } from '../tool-turn.ts'
import { askOnce } from './ask-once.ts'
import type { HostMemory } from './memory.ts'
import { profileOwner } from './owner.ts'
import { type SkillChanges, skillsOf } from './skill-verb.ts'

export interface CallVerbsOptions {
  readonly memory: Pick<HostMemory, 'change' | 'recall'>
  readonly past: Past
  readonly skills: SkillChanges
  /** The jobs of the owner of a turn. */
  readonly jobs: (turn: ToolTurn) => NonNullable<ToolCall['jobs']>
}

type Verbs = Pick<ToolCall, 'memory' | 'sessions' | 'skills' | 'agents' | 'jobs' | 'tools'>

/**
 * What a call of a tool may do with child agents, other tools and the skills of the home, and with memory, earlier sessions and jobs: those of the
 * owner of its turn. The tool names no owner, and cannot.
 */
export type CallVerbs = (contribution: Contribution<'toolset'>, turn: ToolTurn, call: Call, callOther?: CallOther) => Verbs

/** Whether the tools of a plugin may call others. */
export const callsOthers = ({ plugin }: Contribution): boolean => plugin.manifest.permissions.host?.value.includes('tools.call') === true

export function createCallVerbs({ memory, past, skills, jobs }: CallVerbsOptions): CallVerbs {
  return (contribution, turn, call, callOther) => {
    const { plugin } = contribution
    const declared = plugin.manifest.permissions.host?.value ?? []
    const { owner, agents } = turn
    return {
      ...(declared.includes('memory') ? { memory: memoryOf(memory, turn, call) } : {}),
      ...(declared.includes('skills.write') ? { skills: skillsOf(skills, turn) } : {}),
      ...(declared.includes('sessions')
        ? {
            sessions: {
              find: async ({ query, most }) =>
                query === undefined ? past.latest({ owner, most: within(most) }) : past.find({ owner, query, most: within(most) }),
              read: async ({ session, from, most }) =>
                past.read({ owner, session, from: Math.max(1, Math.floor(from)), most: within(most) }),
            },
          }
        : {}),
      ...(declared.includes('agents.run') && agents
        ? { agents: { run: (tasks) => agents.run(tasks, call), start: (tasks) => agents.start(tasks) } }
        : {}),
      ...(declared.includes('jobs') ? { jobs: jobs(turn) } : {}),
      ...(callsOthers(contribution) && callOther ? { tools: othersOf(callOther, call) } : {}),
    }
  }
}

const within = (most: number): number => Math.max(1, Math.min(Math.floor(most), 100))

function othersOf(callOther: CallOther, { signal }: Call): NonNullable<Verbs['tools']> {
  return {
    call: async (name, args) => {
      const { outcome, data } = await callOther({ name, args, signal })
      return { ok: outcome.ok, text: outcome.text, ...(data === undefined ? {} : { data }) }
    },
  }
}

function memoryOf(memory: CallVerbsOptions['memory'], turn: ToolTurn, call: Call): NonNullable<Verbs['memory']> {
  const { owner, session } = turn
  // Who is here and owns the profile says yes or no at once; for all others a change waits.
  const ask = turn.canAnswer && owner === profileOwner ? askIn(turn) : undefined
  return {
    change: async (change) => {
      if (turn.isChild) throw fail('MEMORY_UNCHANGED', { problem: 'a child agent remembers nothing; what it says goes to its parent' })
      return memory.change(owner, change, { call, session, ask })
    },
    recall: (query) => memory.recall(owner, query, call),
  }
}

function askIn(turn: ToolTurn): (change: MemoryChange) => Promise<'yes' | 'no' | 'nobody'> {
  const reason = 'memory.write_approval wants your approval of what is remembered'
  return (change) => askOnce(turn, { tool: 'memory', subject: describeChange(change), reason })
}

/** A change in one line, for the person who looks at it. */
export function describeChange(change: MemoryChange): string {
  const { target } = change
  if (change.action === 'add') return `add to ${target}: ${change.text}`
  if (change.action === 'remove') return `remove from ${target}: ${change.old}`
  return `replace in ${target}: ${change.old} → ${change.text}`
}
