import { existsSync } from 'node:fs'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { loadHomeCatalog } from '#agent/home-catalog.ts'
import { openStoredManifests, type StoredManifests } from '#agent/reload/stored-manifests.ts'
import { ownNames } from '#commands/slash-table.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import type { QuarantinePort } from '#kernel/isolation/faults.ts'
import type { HomeContext } from '../home-context.ts'
import { openHomeOf } from './open-home-of.ts'
import { applySafeMode } from './safe-mode.ts'

export interface OpenedCatalog {
  readonly home: Home
  readonly loaded: Loaded
  readonly catalog: Catalog
  /** What manifests said; absent where the caller keeps that. */
  readonly manifests: StoredManifests | undefined
}

/** The store is opened only where a plugin runs in a child, and where there is a store. */
function lazyQuarantine(context: Pick<HomeContext, 'environment' | 'profile'>, home: Home): Pick<QuarantinePort, 'get'> {
  return {
    get: async (plugin) => {
      if (!existsSync(home.files.state)) return undefined
      const [{ withStore }, { quarantineIn }] = await Promise.all([import('./open-home-store.ts'), import('#store/quarantine.ts')])
      try {
        return await withStore({ ...context, note: () => undefined }, (store) => quarantineIn(store.kv).get(plugin))
      } catch (error) {
        if (!isAgentError(error)) throw error
        // What is wrong with the store is told where it is used; a list of plugins does without it.
        return undefined
      }
    },
  }
}

/** What is installed for the home of this command line, by manifests alone. */
export async function openCatalog(
  context: Pick<HomeContext, 'installRoot' | 'environment' | 'profile' | 'parseManifest' | 'keepConfig'>,
): Promise<OpenedCatalog> {
  const home = openHomeOf(context, { create: false })
  const loaded = await loadConfig(home, context.environment, { keepConfig: context.keepConfig })
  const manifests = context.parseManifest ? undefined : openStoredManifests(home.files.pluginManifests, systemClock)
  return {
    ...{ home, loaded, manifests },
    catalog: await loadHomeCatalog({
      installRoot: context.installRoot,
      home,
      loaded,
      safeMode: applySafeMode(context).safeMode,
      ownCommands: ownNames,
      quarantine: lazyQuarantine(context, home),
      parseManifest: context.parseManifest ?? manifests?.parse,
    }),
  }
}
