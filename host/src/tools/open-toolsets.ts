import type { OpenToolset, ToolContext, ToolRun, Toolset } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Activator } from '#kernel/activate.ts'
import type { Contribution } from '#kernel/catalog.ts'

export interface OpenedContext {
  readonly context: ToolContext
  /** Undoes the effects of the toolset. */
  close(): Promise<void>
}

export interface ToolsetOptions {
  readonly activator: Pick<Activator, 'entry'>
  openContext(contribution: Contribution<'toolset'>): Promise<OpenedContext>
}

export interface Toolsets {
  /** The implementation of a tool; its toolset is imported and opened at the first call, once. */
  tool(contribution: Contribution<'toolset'>, name: string): Promise<ToolRun>
  /** Undoes what a toolset has set up that was replaced or removed. */
  retire(contribution: Contribution<'toolset'>): Promise<void>
  close(): Promise<void>
}

interface Opened {
  readonly toolset: OpenToolset
  close(): Promise<void>
}

const openDeadline = 10_000

export function createToolsets({ activator, openContext }: ToolsetOptions): Toolsets {
  const opened = new Map<Contribution, Promise<Opened>>()

  async function open(contribution: Contribution<'toolset'>): Promise<Opened> {
    const entry = await activator.entry<Toolset>(contribution)
    const { context, close } = await openContext(contribution)
    try {
      const call = {
        id: `open-${contribution.id}`,
        signal: AbortSignal.any([context.signal, AbortSignal.timeout(openDeadline)]),
        deadline: openDeadline,
      }
      const toolset = await entry.open(context as ToolContext<unknown>, call)
      requireTools(contribution, toolset)
      return { toolset, close }
    } catch (error) {
      await close()
      throw error
    }
  }

  return {
    async tool(contribution, name) {
      let opening = opened.get(contribution)
      if (!opening) {
        opening = open(contribution)
        opened.set(contribution, opening)
        opening.catch(() => opened.delete(contribution))
      }
      const { toolset } = await opening
      return toolset.tools[name] as ToolRun
    },
    async retire(contribution) {
      const opening = opened.get(contribution)
      opened.delete(contribution)
      // What could not be opened has undone itself.
      await (await opening?.catch(() => undefined))?.close()
    },
    async close() {
      const all = [...opened.values()]
      opened.clear()
      for (const opening of await Promise.allSettled(all)) if (opening.status === 'fulfilled') await opening.value.close()
    },
  }
}

/** Declared = provided, both ways. */
function requireTools({ plugin, spec }: Contribution<'toolset'>, toolset: OpenToolset): void {
  const declared = spec.tools.map((tool) => tool.name)
  const provided = Object.keys(toolset?.tools ?? {})
  const missing = declared.filter((name) => typeof toolset?.tools?.[name] !== 'function')
  const extra = provided.filter((name) => !declared.includes(name))
  if (missing.length === 0 && extra.length === 0) return
  const problem =
    missing.length > 0 ? `does not provide the tool ${missing.join(', ')}` : `provides the undeclared tool ${extra.join(', ')}`
  throw fail('PLUGIN_SHAPE', { plugin: plugin.manifest.id, entry: spec.entry, problem })
}
