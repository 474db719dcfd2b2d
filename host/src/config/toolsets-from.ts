import type { Loaded } from './file/loaded.ts'
import { readPlatformSettings } from './platform-settings.ts'

/** Ids of the toolsets that the conversations of a platform have; undefined: all that there are. A name may stand for several. */
export function toolsetsFrom(loaded: Pick<Loaded, 'config' | 'environment'>): (platform: string) => readonly string[] | undefined {
  // Asked for every turn; reading the settings of a platform takes longer than all else about them.
  let read = new Map<string, readonly string[] | undefined>()
  let from: unknown
  return (platform) => {
    if (from !== loaded.config) {
      from = loaded.config
      read = new Map()
    }
    if (!read.has(platform)) {
      const { toolsets } = readPlatformSettings(loaded, platform).settings
      read.set(platform, toolsets === undefined ? undefined : expand(toolsets, loaded.config.toolsets))
    }
    return read.get(platform)
  }
}

/** A set may hold others; one that holds itself is no more for it. */
function expand(names: readonly string[], sets: Readonly<Record<string, readonly string[]>>): readonly string[] {
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
  return [...found].sort()
}
