import type { Clock, CompleteConnection, Log } from '@agent/plugin-sdk'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import type { ConversationRef, Journal, PostedPart } from '#store/journal.ts'
import type { Leases } from '#store/leases.ts'
import { createPatience } from '../rules/patience.ts'
import { openOutbox } from './outbox.ts'

export interface SendPostOptions {
  readonly journal: Journal
  readonly leases: Leases
  /** Id of a boot that nobody else has. */
  readonly owner: string
  readonly contribution: Contribution<'platform'>
  readonly platform: { connection(): CompleteConnection | undefined }
  readonly clock: Clock
  readonly log: Log
}

const leaseMs = 180_000

/** Sends what waits for one conversation, in its order and by the outbox, while `use` runs. Other conversations wait for a gateway. */
export async function withOutbox<T>(options: SendPostOptions, place: ConversationRef, use: () => Promise<T>): Promise<T> {
  const { journal, leases, owner, contribution, platform, clock, log } = options
  await leases.hold(owner, owner, leaseMs)
  const own: Journal = { ...journal, claimSend: () => journal.claimSend(owner, place) }
  const links = new Map([[contribution.id, platform]])
  const catalog: Pick<Catalog, 'find'> = { find: () => contribution as never }
  const patience = createPatience({ catalog, clock })
  const outbox = openOutbox({ journal: own, owner, platforms: [contribution.id], catalog, links, concurrency: 1, patience, clock, log })
  try {
    // What a process that died was sending there would block what comes behind it.
    await journal.recover(owner)
    outbox.wake()
    return await use()
  } finally {
    await outbox.close()
    await leases.release(owner, owner)
  }
}

/** Whether nothing of a post is under way any more. */
export function isSettled(parts: readonly PostedPart[]): boolean {
  return parts.length > 0 && parts.every(({ state }) => state !== 'waiting')
}
