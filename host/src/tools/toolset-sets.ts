import type { Loaded } from '#config/file/loaded.ts'
import { toolsetsFrom } from '#config/toolsets-from.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { runDoor } from '#store/jobs.ts'
import { doorSets } from './door-sets.ts'

interface ToolsetsOfOptions {
  readonly loaded: Pick<Loaded, 'config' | 'environment'>
  readonly catalog: Pick<Catalog, 'of' | 'plugins'>
}

type Sets = Readonly<Record<string, readonly string[]>>

/** Ids of the toolsets that a door has; undefined: all. Runs of jobs have none that makes jobs, unless the settings want it. */
export function createToolsetsOf({ loaded, catalog }: ToolsetsOfOptions): ReturnType<typeof toolsetsFrom> {
  let known: { readonly of: unknown; readonly sets: Sets } | undefined
  const toolsetsOf = toolsetsFrom(loaded, () => {
    // The same object while nothing is installed or switched: what was read for a door is kept as long.
    if (known?.of !== catalog.plugins) known = { of: catalog.plugins, sets: listSets(catalog) }
    return known.sets
  })
  return (source) => {
    const all = toolsetsOf(source)
    if (source !== runDoor || loaded.config.cron.allow_agent_scheduling) return all
    const makers = catalog.of('toolset').filter(makesJobs)
    if (makers.length === 0) return all
    const ids = all ?? catalog.of('toolset').map(({ id }) => id)
    return ids.filter((id) => makers.every((maker) => maker.id !== id))
  }
}

const makesJobs = ({ plugin }: Contribution<'toolset'>): boolean => plugin.manifest.permissions.host?.value.includes('jobs') === true

/** The sets that come with the program: those that toolsets say they are part of, and one for each door. */
export function listSets(catalog: Pick<Catalog, 'of' | 'plugins'>): Sets {
  return { ...toolsetSets(catalog), ...doorSets(catalog) }
}

/** The sets that toolsets say they are part of. Those of others cannot put themselves into a set that somebody trusts. */
function toolsetSets(catalog: Pick<Catalog, 'of'>): Sets {
  const sets: Record<string, string[]> = {}
  for (const { id, plugin, spec } of catalog.of('toolset'))
    if (plugin.source === 'bundled') for (const set of spec.sets) sets[set] = [...(sets[set] ?? []), id]
  return sets
}
