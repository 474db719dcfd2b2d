import { existsSync } from 'node:fs'
import { loadHomeCatalog } from '#agent/home-catalog.ts'
import { ownNames } from '#commands/slash-table.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { QuarantinePort } from '#kernel/isolation/faults.ts'
import type { Cli } from '../console/cli.ts'
import { openCliHome } from './open-cli-home.ts'
import { applySafeMode } from './safe-mode.ts'

export interface OpenedCatalog {
  readonly home: Home
  readonly loaded: Loaded
  readonly catalog: Catalog
}

/** The store is opened only where a plugin runs in a child, and where there is a store. */
function lazyQuarantine(cli: Pick<Cli, 'environment' | 'profile'>, home: Home): Pick<QuarantinePort, 'get'> {
  return {
    get: async (plugin) => {
      if (!existsSync(home.files.state)) return undefined
      const [{ withStore }, { quarantineIn }] = await Promise.all([import('./open-home-store.ts'), import('#store/quarantine.ts')])
      return withStore({ ...cli, note: () => undefined }, (store) => quarantineIn(store.kv).get(plugin))
    },
  }
}

/** What is installed for the home of this command line, by manifests alone. */
export async function openCatalog(cli: Pick<Cli, 'installRoot' | 'environment' | 'profile'>): Promise<OpenedCatalog> {
  const home = openCliHome(cli, { create: false })
  const loaded = await loadConfig(home, cli.environment)
  return {
    home,
    loaded,
    catalog: await loadHomeCatalog({
      installRoot: cli.installRoot,
      home,
      loaded,
      safeMode: applySafeMode(cli).safeMode,
      ownCommands: ownNames,
      quarantine: lazyQuarantine(cli, home),
    }),
  }
}
