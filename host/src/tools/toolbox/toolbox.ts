import type { Log, ToolManifest, ToolSpec, Wire } from '@agent/plugin-sdk'
import { type AgentError, fail, fromWireError, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { createForeignCheck } from '#kernel/schema/check-foreign.ts'
import type { Cleared } from '../approvals/approvals.ts'
import { callsOthers } from '../memory/call-verbs.ts'
import { createDynamicTools, type ToolSource } from '../search/dynamic-tools.ts'
import type { DeclaredTool } from '../search/list-tools.ts'
import { isOfPair, searchName, searchTool } from '../search/pair.ts'
import { createToolSearch } from '../search/tool-search.ts'
import type { PreparedCall, ToolRequest, ToolTurn } from '../tool-turn.ts'
import { mayChangeFiles } from './may-change-files.ts'
import { createToolsets, type ToolsetOptions, type Toolsets } from './open-toolsets.ts'
import { parseArguments } from './parse-arguments.ts'
import { previewOf } from './preview.ts'
import { readToolCall } from './read-tool-call.ts'
import { createRunCall, failed, type RunCallOptions, type Runnable } from './run-call.ts'
import { setUpToolset } from './set-up-toolset.ts'
import { createLists, type ListOptions, type ToolFilter } from './tool-lists.ts'

export interface ToolboxOptions extends ToolsetOptions, RunCallOptions, ListOptions {
  readonly catalog: Pick<Catalog, 'of'>
}

/** Who makes a call: the model, or a tool that runs. */
export type CallFrom = 'model' | 'tool'

/** The tools of one generation. */
export interface ToolView {
  /** What the model sees, from manifests alone and always in the same order; `only` names toolsets. */
  specs(only?: readonly string[], fits?: ToolFilter): readonly ToolSpec[]
  /** Names of all tools that there are, listed or not. */
  reachable(only?: readonly string[], fits?: ToolFilter): ReadonlySet<string>
  /** Everything that can be decided before the tool runs. A refusal is a result for the model, never an exception. */
  prepare(request: ToolRequest, turn: ToolTurn, from?: CallFrom): Promise<PreparedCall>
  /** Whether a call that a crash cut off may be run again. */
  isReplaySafe(tool: string): boolean
}

interface RefreshableView extends ToolView {
  /** Asks the sources of tools that are known only when they run again, or one of them, and says what became of each. */
  refresh(only: string | undefined, signal: AbortSignal): Promise<readonly ToolSource[]>
}

export interface Toolbox extends RefreshableView {
  /** The tools of now, whatever comes after. */
  current(): ToolView
  /** Reads the catalog again. */
  renew(): void
  /** Sets a toolset up after its installation, and says what came of it. */
  setUp(toolset: string, signal: AbortSignal): Promise<string>
  /** Undoes what a toolset has set up that was replaced or removed. */
  retire(contribution: Contribution<'toolset'>): Promise<void>
  close(): Promise<void>
}

export function openToolbox(options: ToolboxOptions): Toolbox {
  const toolsets = createToolsets(options)
  const read = (): RefreshableView => createView(options, toolsets, declaredTools(options.catalog, options.log))
  let view = read()
  return {
    specs: (only, fits) => view.specs(only, fits),
    reachable: (only, fits) => view.reachable(only, fits),
    prepare: (request, turn, from) => view.prepare(request, turn, from),
    isReplaySafe: (tool) => view.isReplaySafe(tool),
    refresh: (only, signal) => view.refresh(only, signal),
    current: () => view,
    renew: () => {
      view = read()
    },
    setUp: (toolset, signal) => setUpToolset({ ...options, toolsets }, toolset, signal),
    retire: toolsets.retire,
    close: toolsets.close,
  }
}

function createView(options: ToolboxOptions, toolsets: Toolsets, tools: ReadonlyMap<string, DeclaredTool>): RefreshableView {
  const { clock, log } = options
  const dynamic = createDynamicTools({ contributions: sortedToolsets(options.catalog), open: toolsets.dynamic, clock, log })
  const lists = createLists({ ...options, tools, dynamic })
  const search = createToolSearch({ tools, specOf: lists.specOf, settings: options.search, dynamic })
  const checkForeign = createForeignCheck(clock)
  const run = createRunCall(options, toolsets, search)

  /** What the session lists may be called; everything else that the door has, where it lists the pair. */
  async function find({ name }: ToolRequest, turn: ToolTurn): Promise<Runnable | undefined> {
    if (name === searchName) return turn.tools.has(searchName) ? { tool: searchTool } : undefined
    if (turn.tools.has(name) || turn.reachable.has(name)) return tools.get(name)
    return dynamic.find(name, turn.reachable, turn.signal)
  }

  async function unknown(tool: string, turn: ToolTurn): Promise<AgentError> {
    if (turn.reachable.size === 0) return fail('TOOL_UNKNOWN', { tool, known: [...turn.tools].join(', ') })
    return fail('TOOL_NOT_FOUND', { tool, nearest: (await search.nearest(tool, turn)).join(', ') || '(none)' })
  }

  /** What was judged, or why the call may not run. */
  async function judge(found: Runnable, args: Wire, turn: ToolTurn, from: CallFrom): Promise<Cleared | AgentError> {
    const { tool } = found
    try {
      if (from === 'tool' && mayCallOthers(found)) throw fail('TOOL_CALL_REFUSED', { tool: tool.name, reason: ofModelAlone })
      await askGates(options.hooks, tool, args, turn)
      return await options.approvals.check(tool, args, turn)
    } catch (error) {
      return isAgentError(error) ? error : fromWireError(toWireError(error))
    }
  }

  async function prepare(request: ToolRequest, turn: ToolTurn, from: CallFrom = 'model'): Promise<PreparedCall> {
    const read = await readToolCall(request, turn)
    const meant = read.ok ? read.meant : request
    const found = read.ok ? await find(meant, turn) : undefined
    const refuse = (error: AgentError, args: Wire): PreparedCall => ({
      ...{ ready: false, meant, args, preview: previewOf(found?.tool, args), done: failed(request, error, 0) },
    })
    if (!read.ok) return refuse(read.error, read.args)
    if (!found) return refuse(await unknown(meant.name, turn), meant.args)
    const { tool } = found
    const parsed = await parseArguments(tool, meant.args, isDeclared(found) ? undefined : checkForeign)
    if (!parsed.ok) return refuse(fail('TOOL_ARGUMENTS', { tool: tool.name, problem: parsed.problem }), parsed.args)
    const { args } = parsed
    const judged = await judge(found, args, turn, from)
    if (isAgentError(judged)) return refuse(judged, args)
    return {
      ready: true,
      meant,
      args,
      preview: previewOf(tool, args),
      parallel: isParallel(found),
      replaySafe: tool.replaySafe,
      mayChangeFiles: mayChangeFiles(tool, args),
      run: (call, callOther) => run({ request, found, args, judged, turn }, call, callOther),
    }
  }

  return {
    specs: lists.specs,
    reachable: lists.reachable,
    prepare,
    refresh: dynamic.refresh,
    isReplaySafe: (tool) => tool === searchName || tools.get(tool)?.tool.replaySafe === true,
  }
}

const ofModelAlone = 'no tool calls it, because it may call tools itself'

const mayCallOthers = ({ contribution }: Runnable): boolean => contribution !== undefined && callsOthers(contribution)

/** What is asked about calls of a tool would be asked beside questions about others; a person answers one at a time. */
const isParallel = (found: Runnable): boolean => found.tool.parallel && !mayCallOthers(found)

/** The schema of another one nobody has looked at: it may keep a check busy. */
function isDeclared({ contribution, tool }: Runnable): boolean {
  return contribution === undefined || contribution.spec.tools.includes(tool)
}

/** What came with agent first, then by toolset id. */
function sortedToolsets(catalog: Pick<Catalog, 'of'>): readonly Contribution<'toolset'>[] {
  const rank = ({ plugin, id }: Contribution<'toolset'>): string => `${plugin.source === 'bundled' ? 0 : 1} ${id}`
  return [...catalog.of('toolset')].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/** In the order of the toolsets, then as declared; the first toolset that claims a name keeps it. */
function declaredTools(catalog: Pick<Catalog, 'of'>, log: Log): ReadonlyMap<string, DeclaredTool> {
  const tools = new Map<string, DeclaredTool>()
  for (const contribution of sortedToolsets(catalog)) {
    for (const tool of contribution.spec.tools) {
      const known = tools.get(tool.name)
      if (isOfPair(tool.name)) log.warn('a toolset declares a tool of the host', { tool: tool.name, ignored: contribution.id })
      else if (known)
        log.warn('two toolsets declare the same tool', { tool: tool.name, used: known.contribution.id, ignored: contribution.id })
      else tools.set(tool.name, { contribution, tool })
    }
  }
  return tools
}

async function askGates(hooks: ToolboxOptions['hooks'], { name, effect }: ToolManifest, args: Wire, turn: ToolTurn): Promise<void> {
  if (!hooks?.has('tool.before')) return
  const where = { turn: turn.turn, session: turn.session, workspace: turn.workspace }
  const refusal = await hooks.call('tool.before', { ...where, tool: name, effect, args })
  if (refusal) throw fail('HOOK_REFUSED', { hook: 'tool.before', ...refusal })
}
