import type { Loaded } from '#config/file/loaded.ts'
import { toolsetsFrom } from '#config/toolsets-from.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'

interface ToolsetsOfOptions {
  readonly loaded: Pick<Loaded, 'config' | 'environment'>
  readonly catalog: Pick<Catalog, 'of'>
}

/** Ids of the toolsets that a door has; undefined: all. */
export function createToolsetsOf({ loaded, catalog }: ToolsetsOfOptions): ReturnType<typeof toolsetsFrom> {
  return toolsetsFrom(loaded, () => toolsetSets(catalog))
}

/** The sets that toolsets say they are part of. Those of others cannot put themselves into a set that somebody trusts. */
function toolsetSets(catalog: Pick<Catalog, 'of'>): Readonly<Record<string, readonly string[]>> {
  const sets: Record<string, string[]> = {}
  for (const { id, plugin, spec } of catalog.of('toolset'))
    if (plugin.source === 'bundled') for (const set of spec.sets) sets[set] = [...(sets[set] ?? []), id]
  return sets
}
