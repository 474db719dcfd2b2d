import { randomBytes } from 'node:crypto'
import type { Clock, InboundMessage, Log } from '@agent/plugin-sdk'
import type { Home } from '#config/home.ts'
import type { Loaded } from '#config/loaded.ts'
import type { Catalog } from '#kernel/catalog.ts'
import { newId } from '#kernel/ids.ts'
import type { Store } from '#store/store.ts'
import { judge, type Verdict } from '../gates.ts'
import { createExclusive } from '../pairing/exclusive.ts'
import { openPairing } from '../pairing/pairing.ts'
import { createGreeting } from './greet-stranger.ts'

export interface ReceptionOptions {
  readonly home: Home
  readonly loaded: Loaded
  readonly catalog: Catalog
  readonly store: Pick<Store, 'leases'>
  readonly clock: Clock
  readonly log: Log
}

/** Who gets in, and what the others are told. */
export interface Reception {
  judge(platform: string, message: InboundMessage): Verdict
  /** What a stranger is told; undefined where that is nothing. Never rejects. */
  greet(platform: string, message: InboundMessage): Promise<string | undefined>
}

export function openReception({ home, loaded, catalog, store, clock, log }: ReceptionOptions): Reception {
  const { config, environment } = loaded
  const folder = home.files.pairing
  const exclusive = createExclusive({ leases: store.leases, owner: newId('run', clock), folder, clock })
  const pairing = openPairing({ folder, exclusive, clock, randomBytes, log })
  return {
    judge: (platform, message) =>
      judge(message, {
        platform,
        variable: (name) => (environment.has(name) ? environment.get(name) : undefined),
        allowFrom: config.platforms[platform]?.allow_from,
        isApproved: (person) => pairing.isApproved(platform, person),
        strangers: { here: config.platforms[platform]?.unauthorized_dm_behavior, everywhere: config.unauthorized_dm_behavior },
        unknownSenders: catalog.find('platform', platform)?.spec.unknownSenders ?? 'ignore',
      }),
    greet: createGreeting({ pairing, profile: home.profile, log }),
  }
}
