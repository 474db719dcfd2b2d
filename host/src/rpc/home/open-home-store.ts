import type { Home } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import type { Config } from '#config/schema/schema.ts'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { warnAloud } from '#observe/warn-aloud.ts'
import { nativeBinding } from '#store/native.ts'
import { openStore } from '#store/sqlite/open.ts'
import type { Store } from '#store/store.ts'
import type { HomeContext } from '../home-context.ts'
import { openHomeOf } from './open-home-of.ts'

/** Opens the store of the home for one command. No container is built and no plugin code is loaded. */
export async function withStore<T>(
  context: Pick<HomeContext, 'environment' | 'profile' | 'note'>,
  use: (store: Store, home: Home, config: Config) => Promise<T>,
): Promise<T> {
  const home = openHomeOf(context)
  const { config, environment } = await loadConfig(home, context.environment)
  const store = await openStore({
    file: home.files.state,
    durability: config.store.durability,
    clock: systemClock,
    log: warnAloud(silentLog, context.note),
    nativeBinding: nativeBinding({ folder: environment.get('AGENT_NATIVE_CACHE') }),
  })
  try {
    return await use(store, home, config)
  } finally {
    await store.close()
  }
}
