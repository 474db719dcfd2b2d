import type { Loaded } from '#config/file/loaded.ts'

export interface EnabledPlatform {
  readonly platform: string
  /** Id of the plugin that brings it. */
  readonly plugin: string
}

/** The settings as they would be if a platform and its plugin were switched on. */
export function enablePlatform(loaded: Loaded, { platform, plugin }: EnabledPlatform): Loaded {
  const { platforms, plugins } = loaded.config
  const config = {
    ...loaded.config,
    platforms: { ...platforms, [platform]: { ...platforms[platform], enabled: true } },
    plugins: { ...plugins, entries: { ...plugins.entries, [plugin]: { ...plugins.entries[plugin], enabled: true } } },
  }
  return { ...loaded, config }
}
