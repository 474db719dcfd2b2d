import type { Log } from '@agent/plugin-sdk'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { ClaimedSend } from '#store/journal.ts'
import type { Outbox } from './outbox.ts'

export interface LostReceiptsOptions {
  readonly catalog: Pick<Catalog, 'find'>
  readonly links: ReadonlyMap<string, unknown>
  readonly outbox: Pick<Outbox, 'settleRecovered'>
  /** What the gateway before this one was sending when it died. */
  readonly sends: readonly ClaimedSend[]
  readonly log: Log
}

/** Sends whose receipt the gateway before this one did not see. A platform that can be asked about them is asked once it is connected. */
export interface LostReceipts {
  settle(platform: string): void
  /** Settles those of platforms that cannot be asked. */
  settleUnreachable(): void
}

export function createLostReceipts({ catalog, links, outbox, sends, log }: LostReceiptsOptions): LostReceipts {
  const waiting = new Set(sends)
  const take = (wanted: (send: ClaimedSend) => boolean): void => {
    const taken = [...waiting].filter(wanted)
    for (const send of taken) waiting.delete(send)
    outbox.settleRecovered(taken).catch((error: unknown) => log.error('a lost receipt could not be settled', { error: String(error) }))
  }
  return {
    settle: (platform) => take((send) => send.platform === platform),
    settleUnreachable: () =>
      take(({ platform }) => !links.has(platform) || catalog.find('platform', platform)?.spec.capabilities.findSent !== true),
  }
}
