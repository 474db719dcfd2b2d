import type { Log, ToolManifest, ToolSpec, Wire } from '@agent/plugin-sdk'
import { type AgentError, fail, fromWireError, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import type { Cleared } from '../approvals/approvals.ts'
import { narrowTargets } from '../memory/narrow-targets.ts'
import { type DeclaredTool, listTools, type ToolSearchSettings } from '../search/list-tools.ts'
import { isOfPair, pair, searchName, searchTool } from '../search/pair.ts'
import { createToolSearch } from '../search/tool-search.ts'
import type { PreparedCall, ToolRequest, ToolTurn } from '../tool-turn.ts'
import { leanSchema } from './lean-schema.ts'
import { mayChangeFiles } from './may-change-files.ts'
import { createToolsets, type ToolsetOptions, type Toolsets } from './open-toolsets.ts'
import { parseArguments } from './parse-arguments.ts'
import { previewOf } from './preview.ts'
import { readToolCall } from './read-tool-call.ts'
import { createRunCall, failed, type RunCallOptions, type Runnable } from './run-call.ts'

export interface ToolboxOptions extends ToolsetOptions, RunCallOptions {
  readonly catalog: Pick<Catalog, 'of'>
  /** Whether there is a web backend for a tool that needs one. */
  readonly offersWeb?: (what: NonNullable<ToolManifest['needsWeb']>) => boolean
  /** Whether there is an image backend, or a model that may see, for a tool that needs one. */
  readonly offersImages?: (what: NonNullable<ToolManifest['needsImages']>) => boolean
  /** Whether there is a memory provider for a tool that needs one. */
  readonly offersMemory?: (what: NonNullable<ToolManifest['needsMemory']>) => boolean
  /** What may be remembered. */
  readonly memoryTargets?: () => readonly string[]
  /** Which tools are listed, and how the others are found. */
  readonly search: () => ToolSearchSettings
}

/** Which tools an agent has. */
type Fits = (tool: DeclaredTool) => boolean

/** The tools of one generation. */
export interface ToolView {
  /** What the model sees, from manifests alone and always in the same order; `only` names toolsets. */
  specs(only?: readonly string[], fits?: Fits): readonly ToolSpec[]
  /** Names of all tools that there are, listed or not. */
  reachable(only?: readonly string[], fits?: Fits): ReadonlySet<string>
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

export function openToolbox(options: ToolboxOptions): Toolbox {
  const toolsets = createToolsets(options)
  const read = (): ToolView => createView(options, toolsets, declaredTools(options.catalog, options.log))
  let view = read()
  return {
    specs: (only, fits) => view.specs(only, fits),
    reachable: (only, fits) => view.reachable(only, fits),
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

function createView(options: ToolboxOptions, toolsets: Toolsets, tools: ReadonlyMap<string, DeclaredTool>): ToolView {
  const specs = new Map<ToolManifest, ToolSpec>()
  const specOf = ({ tool }: DeclaredTool): ToolSpec => {
    const { memoryTargets = () => [] } = options
    if (tool.needsMemory === 'change') return toSpec(narrowTargets(tool, memoryTargets()))
    const known = specs.get(tool) ?? toSpec(tool)
    specs.set(tool, known)
    return known
  }
  const search = createToolSearch({ tools, specOf, settings: options.search })
  const run = createRunCall(options, toolsets, search)

  /** What the session lists may be called; everything else that the door has, where it lists the pair. */
  function find({ name }: ToolRequest, turn: ToolTurn): Runnable | undefined {
    if (name === searchName) return turn.tools.has(searchName) ? { tool: searchTool } : undefined
    return turn.tools.has(name) || turn.reachable.has(name) ? tools.get(name) : undefined
  }

  async function unknown(tool: string, turn: ToolTurn): Promise<AgentError> {
    if (turn.reachable.size === 0) return fail('TOOL_UNKNOWN', { tool, known: [...turn.tools].join(', ') })
    return fail('TOOL_NOT_FOUND', { tool, nearest: (await search.nearest(tool, turn)).join(', ') || '(none)' })
  }

  async function prepare(request: ToolRequest, turn: ToolTurn): Promise<PreparedCall> {
    const read = await readToolCall(request, turn)
    const meant = read.ok ? read.meant : request
    const found = read.ok ? find(meant, turn) : undefined
    const refuse = (error: AgentError, args: Wire): PreparedCall => ({
      ...{ ready: false, meant, args, preview: previewOf(found?.tool, args), done: failed(request, error, 0) },
    })
    if (!read.ok) return refuse(read.error, read.args)
    if (!found) return refuse(await unknown(meant.name, turn), meant.args)
    const { tool } = found
    const parsed = await parseArguments(tool, meant.args)
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
      meant,
      args,
      preview: previewOf(tool, args),
      parallel: tool.parallel,
      replaySafe: tool.replaySafe,
      mayChangeFiles: mayChangeFiles(tool, args),
      run: (call) => run({ request, found, args, judged, turn }, call),
    }
  }

  return {
    specs: (only, fits = anyTool) => {
      const { listed, hasMore } = listTools(offered(tools, only, options).filter(fits), options.search())
      return [...listed.map(specOf), ...(hasMore ? pair : [])]
    },
    reachable: (only, fits = anyTool) =>
      new Set(
        offered(tools, only, options)
          .filter(fits)
          .map(({ tool }) => tool.name),
      ),
    prepare,
    isReplaySafe: (tool) => tool === searchName || tools.get(tool)?.tool.replaySafe === true,
  }
}

const anyTool: Fits = () => true

/** What came with agent first, then by toolset id, then as declared; the first toolset that claims a name keeps it. */
function declaredTools(catalog: Pick<Catalog, 'of'>, log: Log): ReadonlyMap<string, DeclaredTool> {
  const tools = new Map<string, DeclaredTool>()
  const rank = ({ plugin, id }: Contribution<'toolset'>): string => `${plugin.source === 'bundled' ? 0 : 1} ${id}`
  const sorted = [...catalog.of('toolset')].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  for (const contribution of sorted) {
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

/** The tools that a door has and that something here can do. */
function offered(
  tools: ReadonlyMap<string, DeclaredTool>,
  only: readonly string[] | undefined,
  { offersWeb = () => false, offersImages = () => false, offersMemory = () => false }: ToolboxOptions,
): readonly DeclaredTool[] {
  return [...tools.values()]
    .filter(({ contribution }) => !only || only.includes(contribution.id))
    .filter(({ tool: { needsWeb } }) => needsWeb === undefined || offersWeb(needsWeb))
    .filter(({ tool: { needsImages } }) => needsImages === undefined || offersImages(needsImages))
    .filter(({ tool: { needsMemory } }) => needsMemory === undefined || offersMemory(needsMemory))
}

function toSpec({ name, description, parameters }: Pick<ToolManifest, 'name' | 'description' | 'parameters'>): ToolSpec {
  return { name, description, parameters: leanSchema(parameters as ToolSpec['parameters']) }
}

async function askGates(hooks: ToolboxOptions['hooks'], { name, effect }: ToolManifest, args: Wire, turn: ToolTurn): Promise<void> {
  if (!hooks?.has('tool.before')) return
  const where = { turn: turn.turn, session: turn.session, workspace: turn.workspace }
  const refusal = await hooks.call('tool.before', { ...where, tool: name, effect, args })
  if (refusal) throw fail('HOOK_REFUSED', { hook: 'tool.before', ...refusal })
}
