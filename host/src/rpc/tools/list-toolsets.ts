import { createLackOf } from '#agent/skills/tools-here.ts'
import { type Listed, listedOf } from '#kernel/catalog/catalog.ts'
import type { OpenedCatalog } from '../home/open-catalog.ts'

export interface ToolsetRow {
  readonly id: string
  readonly plugin: Listed
  readonly state: 'ready' | 'blocked'
  readonly reason: string | null
  /** What can be done once after the installation. */
  readonly setUp?: string
  readonly tools: readonly { readonly name: string; readonly description: string; readonly effect: string; readonly lacks: string | null }[]
}

/** Every toolset of the catalog with its tools. */
export function listToolsets({ catalog, loaded }: Pick<OpenedCatalog, 'catalog' | 'loaded'>): readonly ToolsetRow[] {
  const lackOf = createLackOf({ catalog, loaded })
  return catalog.plugins.flatMap((plugin) =>
    (plugin.installed?.manifest.contributes.toolsets ?? []).map((spec): ToolsetRow => {
      const listed = listedOf({ plugins: [plugin] }, 'toolset').find(({ id }) => id === spec.id)
      const tools = spec.tools.map((tool) => {
        const { name, description, effect } = tool
        return { name, description, effect, lacks: lackOf(tool) }
      })
      const reason =
        listed?.reason?.text ??
        (tools.length > 0 && tools.every(({ lacks }) => lacks) ? [...new Set(tools.map(({ lacks }) => lacks))].join(', and ') : null)
      const setUp = spec.setUp === undefined ? {} : { setUp: spec.setUp }
      return { id: spec.id, plugin, ...setUp, state: listed && reason === null ? 'ready' : 'blocked', reason, tools }
    }),
  )
}
