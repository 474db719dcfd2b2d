import type { Home } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { warnAloud } from '#observe/warn-aloud.ts'
import { nativeBinding } from '#store/native.ts'
import { openStore } from '#store/sqlite/open.ts'
import type { Store } from '#store/store.ts'
import type { Cli } from '../console/cli.ts'
import { openCliHome } from './open-cli-home.ts'

/** Opens the store of the home for one command. No container is built and no plugin code is loaded. */
export async function withStore<T>(
  cli: Pick<Cli, 'environment' | 'profile' | 'note'>,
  use: (store: Store, home: Home) => Promise<T>,
): Promise<T> {
  const home = openCliHome(cli)
  const { config, environment } = await loadConfig(home, cli.environment)
  const store = await openStore({
    file: home.files.state,
    durability: config.store.durability,
    clock: systemClock,
    log: warnAloud(silentLog, cli.note),
    nativeBinding: nativeBinding({ folder: environment.get('AGENT_NATIVE_CACHE') }),
  })
  try {
    return await use(store, home)
  } finally {
    await store.close()
  }
}
