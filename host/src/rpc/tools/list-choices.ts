import { listedOf } from '#kernel/catalog/catalog.ts'
import { ownDoors } from '#tools/door-sets.ts'
import { createToolsetsOf, listSets } from '#tools/toolset-sets.ts'
import type { OpenedCatalog } from '../home/open-catalog.ts'

interface Choice {
  readonly id: string
  readonly toolsets: readonly string[]
}

export interface ToolsetChoices {
  /** The sets that a person may name in place of toolsets. */
  readonly sets: readonly Choice[]
  /** The platforms with fewer toolsets than there are. */
  readonly platforms: readonly Choice[]
}

/** What the names of sets stand for, and which platforms have fewer toolsets than there are. */
export function listChoices({ catalog, loaded }: Pick<OpenedCatalog, 'catalog' | 'loaded'>): ToolsetChoices {
  const sets = { ...listSets(catalog), ...loaded.config.toolsets }
  const toolsetsOf = createToolsetsOf({ catalog, loaded })
  const platforms = new Set([...ownDoors, ...listedOf(catalog, 'platform').map(({ id }) => id)])
  return {
    sets: Object.entries(sets).map(([id, toolsets]) => ({ id, toolsets: [...toolsets].sort() })),
    platforms: [...platforms].flatMap((id) => {
      const toolsets = toolsetsOf(id)
      return toolsets ? [{ id, toolsets }] : []
    }),
  }
}
