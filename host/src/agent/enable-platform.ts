import type { Loaded } from '#config/file/loaded.ts'

export interface EnabledPlatform {
  readonly platform: string
  /** Id of the plugin that brings it. */
  readonly plugin: string
  /** Keys of `extra` as they would be set. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The settings as they would be if a platform and its plugin were switched on. */
export function enablePlatform(loaded: Loaded, { platform, plugin, extra }: EnabledPlatform): Loaded {
  const { platforms, plugins } = loaded.config
  const before = platforms[platform]
  const more = extra && { extra: { ...before?.extra, ...extra } }
  const config = {
    ...loaded.config,
    platforms: { ...platforms, [platform]: { ...before, ...more, enabled: true } },
    plugins: { ...plugins, entries: { ...plugins.entries, [plugin]: { ...plugins.entries[plugin], enabled: true } } },
  }
  return { ...loaded, config }
}
