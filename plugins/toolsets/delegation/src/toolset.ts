import type { ArgsOf, ToolCall, ToolResult, ToolRun, Toolset } from '@agent/plugin-sdk'
import { fail, fromWireError, toWireError } from '@agent/plugin-sdk/errors'
import type { tools } from './tools.ts'

type Wish = ArgsOf<typeof tools, 'delegate_task'>
type RunAgents = NonNullable<ToolCall['agents']>['run']
type AgentTask = Parameters<RunAgents>[0][number]
type StartedAgent = Awaited<ReturnType<NonNullable<ToolCall['agents']>['start']>>[number]
type AgentEnd = Awaited<ReturnType<RunAgents>>[number]

/** A longer answer of a child agent is cut: the parent asked for an outcome. */
const longestSummary = 24_000

const toolset: Toolset = {
  async open() {
    const delegate: ToolRun<Wish> = async ({ args, agents }) => {
      try {
        if (!agents)
          throw fail('PLUGIN_UNDECLARED', { plugin: 'toolset-delegation', access: 'agents', field: '"agents.run" in permissions.host' })
        return args.background ? tellStarted(await agents.start(readTasks(args))) : describe(await agents.run(readTasks(args)))
      } catch (error) {
        return { ok: false, error: toWireError(error) }
      }
    }
    return { tools: { delegate_task: delegate } }
  },
}

export default toolset

function readTasks({ tasks, goal, background: _background, ...rest }: Wish): readonly AgentTask[] {
  if ((goal === undefined) === (tasks === undefined))
    throw fail('TOOL_ARGUMENTS', { tool: 'delegate_task', problem: 'it takes a goal, or tasks that have one each' })
  const given: NonNullable<Wish['tasks']> = tasks ?? [{ ...rest, goal: goal ?? '' }]
  return given.map(({ goal, context, toolsets, role, max_iterations }) => ({
    ...{ goal, mayDelegate: role === 'orchestrator' },
    ...(context === undefined ? {} : { context }),
    ...(toolsets === undefined ? {} : { toolsets }),
    ...(max_iterations === undefined ? {} : { maxSteps: max_iterations }),
  }))
}

function tellStarted(agents: readonly StartedAgent[]): ToolResult {
  const started = agents.map(({ number, session }, index) => ({ task_index: index, number, session_id: session }))
  const note = 'They work in the background now. What comes of each is told in this conversation when it has ended; do not wait for it.'
  return { ok: true, text: JSON.stringify({ started, note }), data: { started } }
}

/** A child agent that failed is a result like any other: what to make of it is for the parent. */
function describe(ends: readonly AgentEnd[]): ToolResult {
  const results = ends.map((end, index) => ({
    task_index: index,
    status: end.status,
    exit_reason: end.exitReason,
    summary: end.text.length <= longestSummary ? end.text : `${end.text.slice(0, longestSummary - 1)}…`,
    ...(end.error ? { error: fromWireError(end.error).message } : {}),
    model: end.model,
    tokens: { ...end.tokens },
    api_calls: end.apiCalls,
    duration_seconds: Math.round(end.durationMs / 100) / 10,
    session_id: end.session,
    tool_trace: end.toolTrace.map(({ tool, argsBytes, resultBytes, status }) => ({
      ...{ tool, args_bytes: argsBytes, result_bytes: resultBytes, status },
    })),
  }))
  return { ok: true, text: JSON.stringify({ results }), data: { results } }
}
