import { join } from 'node:path'
import { type Home, openHome } from '#config/home.ts'
import { loadConfig } from '#config/load.ts'
import type { Loaded } from '#config/loaded.ts'
import { type Catalog, loadCatalog } from '#kernel/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { nativeBinding } from '#store/native.ts'
import { openStore } from '#store/open.ts'
import type { Store } from '#store/store.ts'
import type { Cli } from './cli.ts'

/** The home that a command line means. */
export function homeOf(cli: Cli): Home {
  return openHome({ environment: cli.environment, ...(cli.profile === undefined ? {} : { profile: cli.profile }) })
}

/** Opens the store of the home for one command. No container is built and no plugin code is loaded. */
export async function withStore<T>(cli: Cli, use: (store: Store, home: Home) => Promise<T>): Promise<T> {
  const home = homeOf(cli)
  const { config, environment } = await loadConfig(home, cli.environment)
  const store = await openStore({
    file: home.files.state,
    durability: config.store.durability,
    clock: systemClock,
    log: silentLog,
    nativeBinding: nativeBinding({ folder: environment.get('AGENT_NATIVE_CACHE') }),
  })
  try {
    return await use(store, home)
  } finally {
    await store.close()
  }
}

/** Settings and plugin catalog of the home, for commands that only look. */
export async function readHome(cli: Cli): Promise<{ home: Home; loaded: Loaded; catalog: Catalog }> {
  const home = homeOf(cli)
  const loaded = await loadConfig(home, cli.environment)
  const catalog = await loadCatalog({
    bundled: join(cli.installRoot, 'plugins'),
    local: home.files.pluginsLocal,
    settings: loaded.config.plugins,
    platforms: loaded.config.platforms,
    hasEnvironment: loaded.environment.has,
  })
  for (const { installed } of catalog.plugins) if (installed) loaded.environment.declare(installed.manifest.env)
  return { home, loaded, catalog }
}
