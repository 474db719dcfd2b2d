import type { Loaded } from './file/loaded.ts'
import { readPlatformSettings } from './platform-settings.ts'

type Sets = Readonly<Record<string, readonly string[]>>

/** They stand for every toolset that there is. */
export const allToolsets: readonly string[] = ['all', '*']

/** The name of the set that a door has while its settings name none. */
export const doorSet = (door: string): string => `agent-${door}`

/**
 * Ids of the toolsets that the conversations of a platform have; undefined: all that there are. A name may stand for several: for those that
 * the settings say, or else for those of the program's own sets. A platform whose settings name none has the set that is called after it.
 */
export function toolsetsFrom(
  loaded: Pick<Loaded, 'config' | 'environment'>,
  own: () => Sets,
): (platform: string) => readonly string[] | undefined {
  // Asked for every turn; reading the settings of a platform takes longer than all else about them.
  let read = new Map<string, readonly string[] | undefined>()
  let from: { readonly config: unknown; readonly sets: Sets } | undefined
  return (platform) => {
    const sets = own()
    if (from?.config !== loaded.config || from.sets !== sets) {
      from = { config: loaded.config, sets }
      read = new Map()
    }
    if (!read.has(platform)) {
      const { toolsets } = readPlatformSettings(loaded, platform).settings
      read.set(platform, expandFor(platform, toolsets, { ...sets, ...loaded.config.toolsets }))
    }
    return read.get(platform)
  }
}

function expandFor(platform: string, named: readonly string[] | undefined, sets: Sets): readonly string[] | undefined {
  const own = doorSet(platform)
  if (named === undefined && !Object.hasOwn(sets, own)) return undefined
  return expand(named ?? [own], sets)
}

/** A set may hold others; one that holds itself is no more for it. */
function expand(names: readonly string[], sets: Sets): readonly string[] | undefined {
  const found = new Set<string>()
  const seen = new Set<string>()
  const add = (name: string): void => {
    const set = Object.hasOwn(sets, name) ? sets[name] : undefined
    if (set === undefined) found.add(name)
    else if (!seen.has(name)) {
      seen.add(name)
      for (const each of set) add(each)
    }
  }
  for (const name of names) add(name)
  return allToolsets.some((name) => found.has(name)) ? undefined : [...found].sort()
}
