import { join } from 'node:path'
import type { Home } from '#config/home.ts'
import type { Loaded } from '#config/loaded.ts'
import { type Catalog, loadCatalog } from '#kernel/catalog.ts'
import type { PluginSettings } from '#kernel/switches.ts'

export interface HomeCatalogOptions {
  /** Folder that holds `plugins/` and `host/`. */
  readonly installRoot: string
  readonly home: Home
  readonly loaded: Loaded
  readonly safeMode?: boolean
}

/** The plugins of a home, judged by its settings; the variables of their manifests become readable. */
export async function loadHomeCatalog({ installRoot, home, loaded, safeMode = false }: HomeCatalogOptions): Promise<Catalog> {
  const { config, environment, problems } = loaded
  const catalog = await loadCatalog({
    bundled: join(installRoot, 'plugins'),
    local: home.files.pluginsLocal,
    settings: { ...config.plugins, entries: addSections(loaded) },
    platforms: config.platforms,
    blocks: config,
    hasEnvironment: environment.has,
    problems,
    safeMode,
  })
  for (const { installed } of catalog.plugins) if (installed) environment.declare(installed.manifest.env)
  return catalog
}

/** Settings of the whole program that a plugin carries out. */
const sections = [{ plugin: 'toolset-terminal', section: 'terminal', keys: ['timeout', 'persistent_shell'] }] as const

/** A section's settings reach their plugin, where its own entry does not say otherwise. Defaults stay the plugin's. */
function addSections({ config, sourceOf }: Loaded): PluginSettings['entries'] {
  const entries = { ...config.plugins.entries }
  for (const { plugin, section, keys } of sections) {
    const set = keys.filter((key) => sourceOf(`${section}.${key}`) !== 'default')
    if (set.length === 0) continue
    const values = Object.fromEntries(set.map((key) => [key, config[section][key]]))
    entries[plugin] = { ...entries[plugin], config: { ...values, ...entries[plugin]?.config } }
  }
  return entries
}
