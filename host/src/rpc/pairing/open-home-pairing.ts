import { randomBytes } from 'node:crypto'
import { fail } from '@agent/plugin-sdk/errors'
import { readPlatformSettings, variablePrefix } from '#config/platform-settings.ts'
import { type Admission, listAdmissions } from '#gateway/authorise/find-ground.ts'
import { createExclusive } from '#gateway/pairing/exclusive.ts'
import { openPairing, type Pairing } from '#gateway/pairing/pairing.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/ids.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { silentLog } from '#observe/silent-log.ts'
import { warnAloud } from '#observe/warn-aloud.ts'
import type { Store } from '#store/store.ts'
import { type OpenedCatalog, openCatalog } from '../home/open-catalog.ts'
import { withStore } from '../home/open-home-store.ts'
import type { HomeContext } from '../home-context.ts'

export interface HomePairing {
  readonly opened: OpenedCatalog
  readonly journal: Store['journal']
  readonly pairing: Pairing
  /** Ids of the messaging platforms that are installed, whether they run or not. */
  readonly platforms: readonly string[]
  /** Who is let in by the settings, on the platforms that would run. */
  readonly admissions: readonly (Admission & { readonly platform: string })[]
}

/** Opens the pairing of the home for one command; a gateway may run meanwhile. */
export async function withPairing<T>(context: HomeContext, use: (opened: HomePairing) => Promise<T>): Promise<T> {
  const opened = await openCatalog(context)
  return await withStore(context, (store, home) => {
    const folder = home.files.pairing
    const exclusive = createExclusive({ leases: store.leases, owner: newId('run'), folder, clock: systemClock })
    const log = warnAloud(silentLog, context.note)
    const pairing = openPairing({ folder, exclusive, clock: systemClock, randomBytes, log })
    return use({ opened, journal: store.journal, pairing, platforms: listMessaging(opened.catalog), admissions: findAdmissions(opened) })
  })
}

function findAdmissions({ catalog, loaded }: OpenedCatalog): HomePairing['admissions'] {
  const { environment } = loaded
  const messaging = catalog.of('platform').filter(({ spec }) => spec.door === 'messaging')
  return messaging.flatMap(({ id: platform }) => {
    const { settings } = readPlatformSettings(loaded, platform)
    const found = listAdmissions({ platform, prefix: variablePrefix(platform, environment), settings, variable: environment.reference })
    return found.map((one) => ({ platform, ...one }))
  })
}

/** Ids of the messaging platforms that are installed, whether they run or not. */
export function listMessaging(catalog: Catalog): readonly string[] {
  const all = catalog.plugins.flatMap(({ installed }) => installed?.manifest.contributes.platforms ?? [])
  return [...new Set(all.filter(({ door }) => door === 'messaging').map(({ id }) => id))].sort()
}

/** The platform that a person means. */
export function resolvePlatform(platforms: readonly string[], word: string): string {
  const wanted = word.toLowerCase().replaceAll('_', '-')
  if (platforms.includes(wanted)) return wanted
  const nearest = nearestName(wanted, platforms)
  throw fail('PLATFORM_UNKNOWN', { platform: word, ...(nearest === undefined ? {} : { nearest }) })
}
