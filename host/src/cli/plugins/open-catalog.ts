import { join } from 'node:path'
import { type Home, openHome } from '#config/home.ts'
import { loadConfig } from '#config/load.ts'
import type { Loaded } from '#config/loaded.ts'
import { type Catalog, loadCatalog } from '#kernel/catalog.ts'
import type { Cli } from '../cli.ts'

export interface OpenedCatalog {
  readonly home: Home
  readonly loaded: Loaded
  readonly catalog: Catalog
}

/** What is installed for the home of this command line, by manifests alone. */
export async function openCatalog(cli: Pick<Cli, 'installRoot' | 'environment' | 'profile'>): Promise<OpenedCatalog> {
  const home = openHome({ environment: cli.environment, create: false, ...(cli.profile === undefined ? {} : { profile: cli.profile }) })
  const loaded = await loadConfig(home, cli.environment)
  const catalog = await loadCatalog({
    bundled: join(cli.installRoot, 'plugins'),
    local: home.files.pluginsLocal,
    settings: loaded.config.plugins,
    platforms: loaded.config.platforms,
    problems: loaded.problems,
    hasEnvironment: (name) => loaded.environment.has(name),
  })
  return { home, loaded, catalog }
}
