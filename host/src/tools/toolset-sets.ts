import type { Loaded } from '#config/file/loaded.ts'
import { toolsetsFrom } from '#config/toolsets-from.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { runDoor } from '#store/jobs.ts'

interface ToolsetsOfOptions {
  readonly loaded: Pick<Loaded, 'config' | 'environment'>
  readonly catalog: Pick<Catalog, 'of'>
}

/** Ids of the toolsets that a door has; undefined: all. Runs of jobs have none that makes jobs, unless the settings want it. */
export function createToolsetsOf({ loaded, catalog }: ToolsetsOfOptions): ReturnType<typeof toolsetsFrom> {
  const toolsetsOf = toolsetsFrom(loaded, () => toolsetSets(catalog))
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

/** The sets that toolsets say they are part of. Those of others cannot put themselves into a set that somebody trusts. */
function toolsetSets(catalog: Pick<Catalog, 'of'>): Readonly<Record<string, readonly string[]>> {
  const sets: Record<string, string[]> = {}
  for (const { id, plugin, spec } of catalog.of('toolset'))
    if (plugin.source === 'bundled') for (const set of spec.sets) sets[set] = [...(sets[set] ?? []), id]
  return sets
}
