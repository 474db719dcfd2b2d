import { type Clock, linkSignals, type TurnEvent, withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { newId } from '#kernel/ids.ts'
import type { AgentEnd, AgentTask, StartedAgent, TurnAgents } from '#tools/tool-turn.ts'
import type { ToolView } from '#tools/toolbox/toolbox.ts'
import { type ChildTurnEnd, endOfFailure, endOfTurn } from './agent-end.ts'
import type { Background } from './background.ts'
import type { ChildChoice, ChildOf } from './child-of.ts'
import { toolsetsOf } from './child-tools.ts'
import { type Children, freeNumber, type RunningChild } from './children.ts'
import { createTree, mostChildren, mostInBackground, type TreeOfAgents } from './tree.ts'

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
  /** Where they may work on behind the turn; undefined: nobody would hear what comes of them. */
  readonly background: (() => Background) | undefined
  /** How many there were before in its tree. */
  readonly spawned: number | undefined
  readonly emit: (event: TurnEvent) => void
  /** Resolves when the journal knows of the child. */
  readonly recordChild: (session: string) => Promise<void>
}

type Parts = DelegateOptions & Delegating & { readonly tree: TreeOfAgents; readonly isBackground?: boolean }

/** After it was told to stop, a child has so long to write down what became of it. */
const graceMs = 5_000
const noLimit = 2 ** 31 - 1
const longestGoal = 200

/** The child agents of one turn. */
export function createDelegate(options: DelegateOptions, turn: Delegating): TurnAgents {
  const working = new Set<Promise<AgentEnd>>()
  let made: Parts | undefined
  const parts = (): Parts => {
    made ??= { ...options, ...turn, tree: turn.child?.tree ?? createTree(turn.session, turn.turn, turn.spawned) }
    return made
  }
  return {
    run: async (tasks, { signal }) => {
      const given = parts()
      requireAllowed(given, tasks, working.size)
      const ends = placesOf(given, tasks).map((place) => runChild(given, place, signal))
      for (const end of ends) void working.add(end)
      try {
        return await Promise.all(ends)
      } finally {
        for (const end of ends) working.delete(end)
      }
    },
    start: (tasks) => startChildren(parts(), tasks),
    settled: async () => void (working.size > 0 && (await Promise.all(working))),
  }
}

/** Where each of them stands. From now on they count. */
function placesOf({ tree }: Parts, tasks: readonly AgentTask[]): readonly Place[] {
  const { spawned } = tree
  tree.spawned += tasks.length
  return tasks.map((task, index) => ({ task, session: newId('ses'), index, count: tasks.length, wanted: spawned + index + 1 }))
}

/** Each begins when it is written down that its conversation is to hear of it. Nothing that ends the turn ends them. */
async function startChildren(parts: Parts, tasks: readonly AgentTask[]): Promise<readonly StartedAgent[]> {
  const { background, tree, children } = parts
  requireAllowed(parts, tasks, 0)
  if (parts.child) refuse('a child agent leaves nobody working behind it; wait for what comes of them')
  if (!background) return refuse('nobody would hear later what comes of it; wait for it here')
  const door = background()
  const busy = door.working()
  if (busy + tasks.length > mostInBackground)
    refuse(`${mostInBackground} may work behind this conversation at a time, and ${busy} do; wait for them, or do the work here`)
  const started: StartedAgent[] = []
  for (const place of placesOf(parts, tasks)) {
    const { session } = place
    const kept = await door.keep({ session, root: tree.root, goal: goalOf(place.task), spawned: tree.spawned })
    const number = freeNumber(children.of(tree.root), place.wanted)
    // The journal knows of it by its place, and its events have nowhere else to go.
    const own: Parts = { ...parts, emit: kept.hear, isBackground: true, recordChild: async () => undefined }
    void runChild(own, { ...place, wanted: number }, kept.signal).then((end) => kept.tell(end, tree.spawned))
    started.push({ number, session })
  }
  return started
}

function refuse(problem: string): never {
  throw fail('DELEGATION_REFUSED', { problem })
}

/** Throws DELEGATION_REFUSED and says which limit is in the way. */
function requireAllowed({ settings, tree, child, toolbox, tools }: Parts, tasks: readonly AgentTask[], working: number): void {
  const { max_concurrent_children: most, max_spawn_depth: deepest } = settings()
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
  /** The session that the child is to have. */
  readonly session: string
  readonly index: number
  readonly count: number
  /** The number that it gets unless another has it. */
  readonly wanted: number
}

type About = Omit<Extract<TurnEvent, { type: 'subagent.spawn_requested' }>, 'type'>

/** Never rejects: whatever becomes of a child is an end. */
async function runChild(parts: Parts, { task, session, index, count, wanted }: Place, signal: AbortSignal): Promise<AgentEnd> {
  const { clock, emit, tree, children, person } = parts
  const child = childOf(parts, task)
  const { id, depth, goal } = child
  const number = freeNumber(children.of(tree.root), wanted)
  const about: About = { id, ...(parts.child ? { parent: parts.child.id } : {}), depth, goal, index, count, session }
  emit({ ...about, type: 'subagent.spawn_requested' })
  using life = linkSignals(signal)
  const said: string[] = []
  const running: RunningChild = {
    ...{ id, number, session, parent: child.parent, depth, goal, model: '', startedAt: clock.now(), doing: '', calls: 0 },
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

const goalOf = ({ goal }: AgentTask): string => goal.trim().slice(0, longestGoal)

function childOf({ child, session, tools, approved, tree, settings, choice, isBackground = false }: Parts, task: AgentTask): ChildOf {
  const { max_iterations: most, max_spawn_depth: deepest } = settings()
  const depth = (child?.depth ?? 0) + 1
  return {
    ...{ id: newId('sub'), parent: session, depth, goal: goalOf(task), tree },
    ...{ choice: choice(), maxSteps: Math.min(most, task.maxSteps ?? most), tools: tools(), toolsets: task.toolsets, approved },
    mayDelegate: task.mayDelegate === true && depth < deepest,
    isBackground,
  }
}

/** What of the events of a child its parent's turn tells. Questions are asked there, since nobody watches the child itself. */
function hearChild(emit: Delegating['emit'], about: About, running: RunningChild): (event: TurnEvent) => void {
  return (event) => {
    if (event.type === 'message.start') {
      running.model = event.model
      emit({ ...about, type: 'subagent.start', model: event.model })
    } else if (event.type === 'tool.start') {
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
