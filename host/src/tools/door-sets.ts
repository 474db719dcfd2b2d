import { allToolsets, doorSet } from '#config/toolsets-from.ts'
import type { Catalog, Listed } from '#kernel/catalog/catalog.ts'

/** Doors that no plugin brings: the terminal, editors and the runs of jobs. */
export const ownDoors: readonly string[] = ['cli', 'acp', 'cron']
const everything = allToolsets.slice(0, 1)

/**
 * The set of each door, by the name of the set: what its conversations have while no setting names something else. A platform that is
 * switched off has its set too, because a job that was made there keeps to it.
 */
export function doorSets({ plugins }: Pick<Catalog, 'plugins'>): Readonly<Record<string, readonly string[]>> {
  const sets = new Map<string, readonly string[]>(ownDoors.map((door) => [doorSet(door), everything]))
  const platforms = [...plugins].sort(byTrust).flatMap(({ installed }) => installed?.manifest.contributes.platforms ?? [])
  for (const { id, toolsets = everything } of platforms) if (!sets.has(doorSet(id))) sets.set(doorSet(id), toolsets)
  const reached = new Set(platforms.flatMap(({ id }) => sets.get(doorSet(id)) ?? []))
  const union = everything.some((name) => reached.has(name)) ? everything : [...reached]
  return Object.fromEntries([...sets, [doorSet('gateway'), union]])
}

/** Where two bring a platform of the same name, the one that runs counts, and then the one that comes with agent. */
const byTrust = (left: Listed, right: Listed): number => rank(left) - rank(right)
const rank = ({ state, source }: Listed): number => (state === 'ready' ? 0 : source === 'bundled' ? 1 : 2)
