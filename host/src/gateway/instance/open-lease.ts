import type { Clock, Log } from '@agent/plugin-sdk'
import type { Store } from '#store/store.ts'
import { untilWritten } from '#store/until-written.ts'

export interface LeaseOptions {
  readonly store: Pick<Store, 'leases'>
  /** Boot id of this gateway. */
  readonly owner: string
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

const leaseMs = 30_000

/** This boot owns its claims as long as its lease is renewed. */
export async function openLease(options: LeaseOptions): Promise<{ close(): Promise<void> }> {
  const { store, owner, clock, log, signal } = options
  const hold = async (): Promise<void> => void (await store.leases.hold(owner, owner, leaseMs))
  await hold()
  const renew = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(leaseMs / 3, signal)
      await untilWritten(options, signal, hold)
    }
  }
  const renewing = renew().catch((error: unknown) => {
    if (!signal.aborted) log.error('the lease of this gateway could not be renewed', { error: String(error) })
  })
  return {
    close: async () => {
      await renewing
      await store.leases.release(owner, owner)
    },
  }
}
