import type { Call, Clock, Log, ToolManifest, ToolResult, ToolSpec, Wire } from '@agent/plugin-sdk'
import { type AgentError, fail, fromWireError, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import type { HookDispatcher } from '#kernel/hooks/hooks.ts'
import type { Approvals, Cleared } from '../approvals/approvals.ts'
import type { CallVerbs } from '../memory/call-verbs.ts'
import { narrowTargets } from '../memory/narrow-targets.ts'
import type { PreparedCall, ToolDone, ToolRequest, ToolTurn } from '../tool-turn.ts'
import { limitOutput } from './limit-output.ts'
import { mayChangeFiles } from './may-change-files.ts'
import { createToolsets, type ToolsetOptions, type Toolsets } from './open-toolsets.ts'
import { parseArguments } from './parse-arguments.ts'
import { previewOf } from './preview.ts'
import { runTool } from './run-tool.ts'

export interface ToolboxOptions extends ToolsetOptions {
  readonly catalog: Pick<Catalog, 'of'>
  readonly approvals: Approvals
  readonly hooks?: Pick<HookDispatcher, 'has' | 'call'>
  /** Whether there is a web backend for a tool that needs one. */
  readonly offersWeb?: (what: NonNullable<ToolManifest['needsWeb']>) => boolean
  /** Whether there is an image backend, or a model that may see, for a tool that needs one. */
  readonly offersImages?: (what: NonNullable<ToolManifest['needsImages']>) => boolean
  /** Whether there is a memory provider for a tool that needs one. */
  readonly offersMemory?: (what: NonNullable<ToolManifest['needsMemory']>) => boolean
  /** What may be remembered. */
  readonly memoryTargets?: () => readonly string[]
  /** What a call may do with memory and earlier sessions. */
  readonly verbs?: CallVerbs
  readonly clock: Clock
  readonly log: Log
}

/** The tools of one generation. */
export interface ToolView {
  /** What the model sees, from manifests alone and always in the same order; `only` names toolsets. */
  specs(only?: readonly string[]): readonly ToolSpec[]
  /** Everything that can be decided before the tool runs. A refusal is a result for the model, never an exception. */
  prepare(request: ToolRequest, turn: ToolTurn): Promise<PreparedCall>
  /** Whether a call that a crash cut off may be run again. */
  isReplaySafe(tool: string): boolean
}

export interface Toolbox extends ToolView {
  /** The tools of now, whatever comes after. */
  current(): ToolView
  /** Reads the catalog again. */
  renew(): void
  /** Undoes what a toolset has set up that was replaced or removed. */
  retire(contribution: Contribution<'toolset'>): Promise<void>
  close(): Promise<void>
}

interface Judged {
  readonly args: Wire
  readonly judged: Cleared
}

interface Declared {
  readonly contribution: Contribution<'toolset'>
  readonly tool: ToolManifest
}

/** A result longer than this is cut, whatever the tool thinks. Tools have their own, smaller limits. */
const outputLimit = 100_000

export function openToolbox(options: ToolboxOptions): Toolbox {
  const toolsets = createToolsets(options)
  const read = (): ToolView => createView(options, toolsets, declaredTools(options.catalog, options.log))
  let view = read()
  return {
    specs: (only) => view.specs(only),
    prepare: (request, turn) => view.prepare(request, turn),
    isReplaySafe: (tool) => view.isReplaySafe(tool),
    current: () => view,
    renew: () => {
      view = read()
    },
    retire: toolsets.retire,
    close: toolsets.close,
  }
}

function createView(options: ToolboxOptions, toolsets: Toolsets, tools: ReadonlyMap<string, Declared>): ToolView {
  async function prepare(request: ToolRequest, turn: ToolTurn): Promise<PreparedCall> {
    const declared = turn.tools.has(request.name) ? tools.get(request.name) : undefined
    const refuse = (error: AgentError, args: Wire): PreparedCall => ({
      ...{ ready: false, args, preview: previewOf(declared?.tool, args), done: failed(request, error, 0) },
    })
    if (!declared) return refuse(fail('TOOL_UNKNOWN', { tool: request.name, known: [...turn.tools].join(', ') }), request.args)
    const { tool } = declared
    const parsed = await parseArguments(tool, request.args)
    if (!parsed.ok) return refuse(fail('TOOL_ARGUMENTS', { tool: tool.name, problem: parsed.problem }), parsed.args)
    const { args } = parsed
    let judged: Cleared
    try {
      await askGates(options.hooks, tool, args, turn)
      judged = await options.approvals.check(tool, args, turn)
    } catch (error) {
      return refuse(isAgentError(error) ? error : fromWireError(toWireError(error)), args)
    }
    return {
      ready: true,
      args,
      preview: previewOf(tool, args),
      parallel: tool.parallel,
      replaySafe: tool.replaySafe,
      mayChangeFiles: mayChangeFiles(tool, args),
      run: (call) => run(request, declared, { args, judged }, turn, call),
    }
  }

  async function run(
    request: ToolRequest,
    { contribution, tool }: Declared,
    call: Judged,
    turn: ToolTurn,
    within: Call,
  ): Promise<ToolDone> {
    const started = options.clock.now()
    const took = (): number => options.clock.now() - started
    try {
      const { folder, args } = await clearedNow(options.approvals, tool, call, turn)
      const implementation = await toolsets.tool(contribution, tool.name)
      const toolCall = {
        id: request.id,
        args,
        session: turn.session,
        turn: turn.turn,
        workspace: turn.workspace,
        ...(folder === undefined ? {} : { folder }),
        progress: (text: string) => turn.progress(request.id, text),
        ask: asker(contribution, turn),
        ...options.verbs?.(contribution, turn, within),
      }
      const result = await runTool(implementation, toolCall, within, { tool: tool.name, timeoutMs: tool.timeoutMs, clock: options.clock })
      if (result.ok && typeof result.folder === 'string') options.approvals.moved(tool, turn.session, result.folder)
      const done = resultDone(request, result, took())
      return await amend(options.hooks, done, { tool, args }, turn)
    } catch (error) {
      const coded = isAgentError(error) ? error : fail('TOOL_FAILED', { tool: tool.name, detail: String(error) }, { cause: error })
      options.log.warn('a tool failed', { tool: tool.name, code: coded.code, problem: coded.message })
      return failed(request, coded, took())
    }
  }

  return {
    specs: (only) => specsOf(tools, only, options),
    prepare,
    isReplaySafe: (tool) => tools.get(tool)?.tool.replaySafe === true,
  }
}

/** An earlier call of the same step may have changed the folder since this one was judged. */
async function clearedNow(approvals: Approvals, tool: ToolManifest, { args, judged }: Judged, turn: ToolTurn): Promise<Cleared> {
  const folder = await approvals.folderFor(tool, args, turn)
  return folder === judged.folder ? judged : approvals.check(tool, args, turn)
}

/** What came with agent first, then by toolset id, then as declared; the first toolset that claims a name keeps it. */
function declaredTools(catalog: Pick<Catalog, 'of'>, log: Log): ReadonlyMap<string, Declared> {
  const tools = new Map<string, Declared>()
  const rank = ({ plugin, id }: Contribution<'toolset'>): string => `${plugin.source === 'bundled' ? 0 : 1} ${id}`
  const sorted = [...catalog.of('toolset')].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  for (const contribution of sorted) {
    for (const tool of contribution.spec.tools) {
      const known = tools.get(tool.name)
      if (known) log.warn('two toolsets declare the same tool', { tool: tool.name, used: known.contribution.id, ignored: contribution.id })
      else tools.set(tool.name, { contribution, tool })
    }
  }
  return tools
}

function specsOf(
  tools: ReadonlyMap<string, Declared>,
  only: readonly string[] | undefined,
  { offersWeb = () => false, offersImages = () => false, offersMemory = () => false, memoryTargets = () => [] }: ToolboxOptions,
): readonly ToolSpec[] {
  return [...tools.values()]
    .filter(({ contribution }) => !only || only.includes(contribution.id))
    .filter(({ tool: { needsWeb } }) => needsWeb === undefined || offersWeb(needsWeb))
    .filter(({ tool: { needsImages } }) => needsImages === undefined || offersImages(needsImages))
    .filter(({ tool: { needsMemory } }) => needsMemory === undefined || offersMemory(needsMemory))
    .map(({ tool }) => (tool.needsMemory === 'change' ? narrowTargets(tool, memoryTargets()) : tool))
    .map(({ name, description, parameters }) => ({ name, description, parameters: parameters as ToolSpec['parameters'] }))
}

async function askGates(hooks: ToolboxOptions['hooks'], { name, effect }: ToolManifest, args: Wire, turn: ToolTurn): Promise<void> {
  if (!hooks?.has('tool.before')) return
  const where = { turn: turn.turn, session: turn.session, workspace: turn.workspace }
  const refusal = await hooks.call('tool.before', { ...where, tool: name, effect, args })
  if (refusal) throw fail('HOOK_REFUSED', { hook: 'tool.before', ...refusal })
}

/** Hooks may change what the model is told, but not which call it belongs to. */
async function amend(
  hooks: ToolboxOptions['hooks'],
  done: ToolDone,
  { tool, args }: { readonly tool: ToolManifest; readonly args: Wire },
  turn: ToolTurn,
): Promise<ToolDone> {
  if (!hooks?.has('tool.after')) return done
  const { id, name } = done.outcome
  const where = { turn: turn.turn, session: turn.session }
  const { outcome } = await hooks.call('tool.after', { ...where, tool: name, effect: tool.effect, args, outcome: done.outcome })
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

function failed({ id, name }: ToolRequest, error: AgentError, durationMs: number): ToolDone {
  return { outcome: { id, name, ok: false, text: error.message }, error: toWireError(error), durationMs }
}
