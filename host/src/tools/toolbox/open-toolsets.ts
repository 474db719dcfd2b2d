import type { Call, OpenToolset, ToolContext, ToolResult, ToolRun, Wire, WireError } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { maskText, maskValue } from '#observe/mask.ts'
import { createOpener, type OpenerOptions } from '../opener.ts'
import type { DynamicTools } from '../search/read-dynamic.ts'

export interface ToolsetOptions extends OpenerOptions<'toolset', ToolContext> {
  /** Values that nobody may read in what tools of servers say; absent: none. */
  readonly secrets?: () => readonly string[]
}

export interface Toolsets {
  /** The implementation of a tool. */
  tool(contribution: Contribution<'toolset'>, name: string): Promise<ToolRun>
  /** The tools that a toolset knows only when it runs. */
  dynamic(contribution: Contribution<'toolset'>): Promise<DynamicTools>
  /** Does what its manifest says that can be done after the installation. */
  setUp(contribution: Contribution<'toolset'>, call: Call): Promise<string>
  /** Undoes what a toolset has set up that was replaced or removed. */
  retire(contribution: Contribution<'toolset'>): Promise<void>
  close(): Promise<void>
}

export function createToolsets(options: ToolsetOptions): Toolsets {
  const { opened, retire, close } = createOpener<'toolset', ToolContext, OpenToolset>(options, requireTools)
  const dynamic = async (contribution: Contribution<'toolset'>): Promise<DynamicTools> =>
    // requireTools has looked.
    withoutSecrets((await opened(contribution)).dynamic as DynamicTools, options.secrets ?? (() => []))
  return {
    tool: async (contribution, name) => {
      if (contribution.spec.tools.some((tool) => tool.name === name)) return (await opened(contribution)).tools[name] as ToolRun
      const { run } = await dynamic(contribution)
      return (toolCall, call) => run(name, toolCall, call)
    },
    setUp: async (contribution, call) => {
      const said = await (await opened(contribution)).setUp?.(call)
      return maskText(said ?? '', (options.secrets ?? (() => []))())
    },
    ...{ dynamic, retire, close },
  }
}

/** What stands behind tools that are known only when they run was given secrets, and all who talk to the agent read what it says. */
function withoutSecrets(tools: DynamicTools, secrets: () => readonly string[]): DynamicTools {
  return {
    list: async (wish, call) => {
      const list = await tools.list(wish, call)
      return { ...list, sources: list.sources.map((source) => ({ ...source, text: maskText(source.text, secrets()) })) }
    },
    run: async (name, toolCall, call) => hideIn(await tools.run(name, toolCall, call), secrets()),
  }
}

function hideIn(result: ToolResult, secrets: readonly string[]): ToolResult {
  const text = result.text === undefined ? {} : { text: maskText(result.text, secrets) }
  if (!result.ok) return { ...result, ...text, error: maskValue(result.error as unknown as Wire, secrets) as unknown as WireError }
  const data = result.data === undefined ? {} : { data: maskValue(result.data, secrets) as Wire }
  return { ...result, text: maskText(result.text, secrets), ...data }
}

/** Declared = provided, both ways. */
function requireTools({ plugin, spec }: Contribution<'toolset'>, toolset: OpenToolset): void {
  const declared = spec.tools.map((tool) => tool.name)
  const provided = Object.keys(toolset?.tools ?? {})
  const missing = declared.filter((name) => typeof toolset?.tools?.[name] !== 'function')
  const extra = provided.filter((name) => !declared.includes(name))
  const { dynamic } = toolset ?? {}
  const isDynamic = typeof dynamic?.list === 'function' && typeof dynamic.run === 'function'
  const lacks = spec.dynamicTools !== undefined && !isDynamic
  const isOdd = (spec.setUp !== undefined) !== (typeof toolset?.setUp === 'function')
  if (missing.length === 0 && extra.length === 0 && !lacks && !isOdd) return
  const problem = lacks
    ? 'has no dynamic tools, which its manifest declares'
    : isOdd
      ? 'has a set-up where its manifest has none, or the other way round'
      : missing.length > 0
        ? `does not provide the tool ${missing.join(', ')}`
        : `provides the undeclared tool ${extra.join(', ')}`
  throw fail('PLUGIN_SHAPE', { plugin: plugin.manifest.id, entry: spec.entry, problem })
}
