import type { Call, Clock, Log, ToolCall, ToolManifest, ToolResult, Wire } from '@agent/plugin-sdk'
import { type AgentError, fail, fromWireError, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { HookDispatcher } from '#kernel/hooks/hooks.ts'
import type { Approvals, Cleared } from '../approvals/approvals.ts'
import { type CallVerbs, callsOthers } from '../memory/call-verbs.ts'
import type { DeclaredTool } from '../search/list-tools.ts'
import type { ToolSearch } from '../search/tool-search.ts'
import type { CallOther, ToolDone, ToolRequest, ToolTurn } from '../tool-turn.ts'
import { followOthers } from './follow-others.ts'
import { limitOutput } from './limit-output.ts'
import type { Toolsets } from './open-toolsets.ts'
import { runTool } from './run-tool.ts'

/** The secrets of skills, for commands that start their scripts. */
export interface CallSecrets {
  /** The secrets for the command of this call, where it has one and there are some for it. */
  of(contribution: Contribution<'toolset'>, tool: ToolManifest, cleared: Cleared, turn: ToolTurn): Promise<Pick<ToolCall, 'secrets'>>
  /** A tool has answered; it may have read a skill. */
  answered(contribution: Contribution<'toolset'>, tool: ToolManifest, args: Wire, turn: ToolTurn): void
}

export interface RunCallOptions {
  readonly approvals: Approvals
  readonly hooks?: Pick<HookDispatcher, 'has' | 'call'>
  /** What a call may do with memory and earlier sessions. */
  readonly verbs?: CallVerbs
  readonly callSecrets?: CallSecrets
  readonly clock: Clock
  readonly log: Log
}

/** A tool that may be called; the search belongs to no toolset. */
export interface Runnable {
  readonly contribution?: Contribution<'toolset'>
  readonly tool: ToolManifest
}

/** A call that was let through. */
export interface ReadyCall {
  readonly request: ToolRequest
  readonly found: Runnable
  readonly args: Wire
  readonly judged: Cleared
  readonly turn: ToolTurn
}

export type RunCall = (ready: ReadyCall, within: Call, callOther?: CallOther) => Promise<ToolDone>

/** A result longer than this is cut, whatever the tool thinks. Tools have their own, smaller limits. */
const outputLimit = 100_000

export function createRunCall(options: RunCallOptions, toolsets: Toolsets, search: Pick<ToolSearch, 'find'>): RunCall {
  async function runDeclared(
    { id }: ToolRequest,
    { contribution, tool }: DeclaredTool,
    cleared: Cleared,
    turn: ToolTurn,
    within: Call,
    callOther?: CallOther,
  ): Promise<ToolResult> {
    const { folder, args } = cleared
    const implementation = await toolsets.tool(contribution, tool.name)
    const toolCall = {
      id,
      args,
      session: turn.session,
      turn: turn.turn,
      workspace: turn.workspace,
      ...(folder === undefined ? {} : { folder }),
      progress: (text: string) => turn.progress(id, text),
      ask: asker(contribution, turn),
      ...options.verbs?.(contribution, turn, within, callOther),
      ...(await options.callSecrets?.of(contribution, tool, cleared, turn)),
    }
    const limits = { tool: tool.name, timeoutMs: tool.timeoutMs, clock: options.clock }
    const result = await runTool(implementation, toolCall, within, limits)
    if (result.ok) options.callSecrets?.answered(contribution, tool, args, turn)
    return result
  }

  return async (ready, given, callOther) => {
    const { request, turn } = ready
    const { tool, contribution } = ready.found
    const started = options.clock.now()
    const took = (): number => options.clock.now() - started
    const others = contribution && callOther && callsOthers(contribution) ? followOthers(given, callOther) : undefined
    const within = others?.within ?? given
    try {
      const cleared = await clearedNow(options.approvals, ready)
      const { args } = cleared
      const result = contribution
        ? await runDeclared(request, { contribution, tool }, cleared, turn, within, others?.call)
        : await search.find((args as { readonly query: string }).query, turn)
      tell(options.approvals, { tool, args }, result, turn)
      const done = resultDone(request, result, took())
      return await amend(options.hooks, done, { tool, args }, turn)
    } catch (error) {
      const coded = isAgentError(error) ? error : fail('TOOL_FAILED', { tool: tool.name, detail: String(error) }, { cause: error })
      options.log.warn('a tool failed', { tool: tool.name, code: coded.code, problem: coded.message })
      return failed(request, coded, took())
    } finally {
      await others?.end()
    }
  }
}

/** An earlier call of the same step may have changed the folder since this one was judged. */
async function clearedNow(approvals: Approvals, { found: { tool }, args, judged, turn }: ReadyCall): Promise<Cleared> {
  const folder = await approvals.folderFor(tool, args, turn)
  return folder === judged.folder ? judged : approvals.check(tool, args, turn)
}

/** What a call leaves behind for the judgement of later ones. */
function tell(
  approvals: Approvals,
  { tool, args }: { readonly tool: ToolManifest; readonly args: Wire },
  result: ToolResult,
  { session }: ToolTurn,
): void {
  if (!result.ok) return
  if (typeof result.folder === 'string') approvals.moved(tool, session, result.folder)
  approvals.succeeded(tool, args, session)
}

/** Hooks may change what the model is told, but not which call it belongs to; they hear the name of the tool that ran. */
async function amend(
  hooks: RunCallOptions['hooks'],
  done: ToolDone,
  { tool, args }: { readonly tool: ToolManifest; readonly args: Wire },
  turn: ToolTurn,
): Promise<ToolDone> {
  if (!hooks?.has('tool.after')) return done
  const { id, name } = done.outcome
  const about = { turn: turn.turn, session: turn.session, tool: tool.name, effect: tool.effect, args }
  const { outcome } = await hooks.call('tool.after', { ...about, outcome: { ...done.outcome, name: tool.name } })
  return { ...done, outcome: { id, name, ok: outcome.ok, text: limitOutput(outcome.text, outputLimit) } }
}

function asker({ plugin }: Contribution<'toolset'>, turn: ToolTurn): ToolTurn['ask'] {
  if (plugin.manifest.permissions.host?.value.includes('clarify')) return (question) => turn.ask(question)
  return async () => {
    throw fail('PLUGIN_UNDECLARED', { plugin: plugin.manifest.id, access: 'ask', field: 'permissions.host "clarify"' })
  }
}

function resultDone({ id, name }: ToolRequest, result: ToolResult, durationMs: number): ToolDone {
  if (result.ok) {
    const outcome = { id, name, ok: true, text: limitOutput(result.text, outputLimit) }
    return result.data === undefined ? { outcome, durationMs } : { outcome, data: result.data, durationMs }
  }
  const text = result.text ?? fromWireError(result.error).message
  return { outcome: { id, name, ok: false, text: limitOutput(text, outputLimit) }, error: result.error, durationMs }
}

/** A call that came to nothing. */
export function failed({ id, name }: ToolRequest, error: AgentError, durationMs: number): ToolDone {
  return { outcome: { id, name, ok: false, text: error.message }, error: toWireError(error), durationMs }
}
