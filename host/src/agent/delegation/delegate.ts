import { type Clock, linkSignals, type TurnEvent, withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { newId } from '#kernel/ids.ts'
import type { AgentEnd, AgentTask, TurnAgents } from '#tools/tool-turn.ts'
import type { ToolView } from '#tools/toolbox/toolbox.ts'
import { type ChildTurnEnd, endOfFailure, endOfTurn } from './agent-end.ts'
import type { ChildChoice, ChildOf } from './child-of.ts'
import { toolsetsOf } from './child-tools.ts'
import type { Children, RunningChild } from './children.ts'
import { createTree, mostChildren, type TreeOfAgents } from './tree.ts'

/** `delegation` of config.yaml. */
export interface DelegationSettings {
  readonly max_iterations: number
  readonly max_concurrent_children: number
  readonly max_spawn_depth: number
  /** 0: as long as it takes. */
  readonly child_timeout_seconds: number
}

export interface DelegateOptions {
  readonly settings: () => DelegationSettings
  /** The model of children; undefined: that of their parent. */
  readonly choice: () => ChildChoice | undefined
  readonly children: Children
  readonly clock: Clock
  /** Runs the turn of a child and keeps its session. */
  readonly run: (child: ChildOf, task: ChildTask, signal: AbortSignal, door: ChildDoor) => Promise<ChildTurnEnd>
  /** Writes down how the session of a child ended. */
  readonly conclude: (session: string, exitReason: AgentEnd['exitReason']) => Promise<void>
}

/** What a child tells, and what a person says to it meanwhile. */
interface ChildDoor {
  readonly hear: (event: TurnEvent) => void
  readonly steer: () => Promise<readonly string[]>
}

/** What a child is to do, and under which id its session is stored. */
export interface ChildTask extends Pick<AgentTask, 'goal' | 'context'> {
  readonly session: string
}

/** The turn that hands out tasks. */
export interface Delegating {
  readonly turn: string
  readonly session: string
  readonly child: ChildOf | undefined
  readonly person: string | undefined
  /** Names of the tools that it may call. */
  readonly tools: () => ReadonlySet<string>
  readonly toolbox: Pick<ToolView, 'reachable'>
  readonly approved: Set<string>
  readonly emit: (event: TurnEvent) => void
  /** Resolves when the journal knows of the child. */
  readonly recordChild: (session: string) => Promise<void>
}

type Parts = DelegateOptions & Delegating & { readonly tree: TreeOfAgents }

/** After it was told to stop, a child has so long to write down what became of it. */
const graceMs = 5_000
const noLimit = 2 ** 31 - 1
const longestGoal = 200

/** The child agents of one turn. */
export function createDelegate(options: DelegateOptions, turn: Delegating): TurnAgents {
  const working = new Set<Promise<AgentEnd>>()
  let parts: Parts | undefined
  return {
    run: async (tasks, { signal }) => {
      parts ??= { ...options, ...turn, tree: turn.child?.tree ?? createTree(turn.session, turn.turn) }
      requireAllowed(parts, tasks, working.size)
      const given = parts
      const { spawned } = given.tree
      given.tree.spawned += tasks.length
      const ends = tasks.map((task, index) => runChild(given, { task, index, count: tasks.length, number: spawned + index + 1 }, signal))
      for (const end of ends) void working.add(end)
      try {
        return await Promise.all(ends)
      } finally {
        for (const end of ends) working.delete(end)
      }
    },
    settled: async () => void (working.size > 0 && (await Promise.all(working))),
  }
}

/** Throws DELEGATION_REFUSED and says which limit is in the way. */
function requireAllowed({ settings, tree, child, toolbox, tools }: Parts, tasks: readonly AgentTask[], working: number): void {
  const { max_concurrent_children: most, max_spawn_depth: deepest } = settings()
  const refuse = (problem: string): never => {
    throw fail('DELEGATION_REFUSED', { problem })
  }
  if (tasks.length === 0) refuse('no task was given')
  if (tasks.some(({ goal }) => goal.trim() === '')) refuse('a task has no goal')
  if (!child && deepest < 1) refuse('delegation.max_spawn_depth is 0, so nobody hands on tasks; do the work here')
  if (child && (!child.mayDelegate || child.depth >= deepest))
    refuse(`this agent is a child itself, and delegation.max_spawn_depth is ${deepest}; do the work here`)
  if (working + tasks.length > most)
    refuse(`${working + tasks.length} at a time are more than delegation.max_concurrent_children allows (${most}); give fewer at once`)
  if (tree.spawned + tasks.length > mostChildren)
    refuse(`a message may cost ${mostChildren} child agents, and ${tree.spawned} of them are used; do the rest here`)
  const known = toolsetsOf(toolbox, tools())
  const unknown = tasks.flatMap(({ toolsets = [] }) => toolsets).find((name) => !known.has(name))
  if (unknown !== undefined) refuse(`this agent has no toolset "${unknown}"; it has ${[...known].join(', ') || 'none'}`)
}

interface Place {
  readonly task: AgentTask
  readonly index: number
  readonly count: number
  readonly number: number
}

type About = Omit<Extract<TurnEvent, { type: 'subagent.spawn_requested' }>, 'type'>

/** Never rejects: whatever becomes of a child is an end. */
async function runChild(parts: Parts, { task, index, count, number }: Place, signal: AbortSignal): Promise<AgentEnd> {
  const { clock, emit, tree, children, person } = parts
  const child = childOf(parts, task)
  const session = newId('ses')
  const { id, depth, goal } = child
  const about: About = { id, ...(parts.child ? { parent: parts.child.id } : {}), depth, goal, index, count, session }
  emit({ ...about, type: 'subagent.spawn_requested' })
  using life = linkSignals(signal)
  const said: string[] = []
  const running: RunningChild = {
    ...{ id, number, session, depth, goal, startedAt: clock.now(), doing: '', calls: 0 },
    ...(person === undefined ? {} : { person }),
    stop: () => life.abort(fail('INTERRUPTED')),
    say: (text) => void said.push(text),
  }
  using _listed = children.add(tree.root, running)
  const door = { hear: hearChild(emit, about, running), steer: async () => said.splice(0) }
  const end = await endOf(parts, { child, task: { ...task, session }, life: life.signal, running, door })
  const { status, exitReason, durationMs } = end
  emit({ ...about, type: 'subagent.complete', status, exitReason, text: end.text.slice(0, longestGoal), durationMs })
  return end
}

function childOf({ child, session, tools, approved, tree, settings, choice }: Parts, task: AgentTask): ChildOf {
  const { max_iterations: most, max_spawn_depth: deepest } = settings()
  const depth = (child?.depth ?? 0) + 1
  return {
    ...{ id: newId('sub'), parent: session, depth, goal: task.goal.trim().slice(0, longestGoal), tree },
    ...{ choice: choice(), maxSteps: Math.min(most, task.maxSteps ?? most), tools: tools(), toolsets: task.toolsets, approved },
    mayDelegate: task.mayDelegate === true && depth < deepest,
  }
}

/** What of the events of a child its parent's turn tells. Questions are asked there, since nobody watches the child itself. */
function hearChild(emit: Delegating['emit'], about: About, running: RunningChild): (event: TurnEvent) => void {
  return (event) => {
    if (event.type === 'message.start') emit({ ...about, type: 'subagent.start', model: event.model })
    else if (event.type === 'tool.start') {
      const { name, preview } = event
      running.calls += 1
      running.doing = `${name} ${preview}`.trim()
      emit({ ...about, type: 'subagent.tool', name, preview, calls: running.calls })
    } else if (event.type === 'approval.request' || event.type.startsWith('subagent.')) emit(event)
  }
}

interface Work {
  readonly child: ChildOf
  readonly task: ChildTask
  readonly life: AbortSignal
  readonly running: RunningChild
  readonly door: ChildDoor
}

async function endOf(parts: Parts, { child, task, life, running: { startedAt }, door }: Work): Promise<AgentEnd> {
  const { clock, settings, run, conclude, recordChild } = parts
  const { session } = task
  const ms = settings().child_timeout_seconds * 1000 || noLimit
  let stopped: unknown
  let end: AgentEnd
  const about = (): { session: string; durationMs: number } => ({ session, durationMs: clock.now() - startedAt })
  try {
    life.throwIfAborted()
    await recordChild(session)
    const turn = await withTimeLimit({ clock, signal: life, ms, what: 'The child agent', graceMs }, async (signal) => {
      const done = await run(child, task, signal, door)
      stopped = signal.reason
      return done
    })
    end = endOfTurn(turn, { ...about(), reason: stopped })
  } catch (error) {
    end = endOfFailure(life.aborted ? fail('INTERRUPTED') : error, { ...about(), model: child.choice?.model ?? '' })
  }
  await conclude(session, end.exitReason)
  return end
}
