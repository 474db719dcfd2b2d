import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Leases } from '#store/leases.ts'

export interface ExclusiveOptions {
  readonly leases: Leases
  /** Somebody new: no other holder may use this name. */
  readonly owner: string
  /** Named when the right cannot be had. */
  readonly folder: string
  readonly clock: Clock
}

const leaseName = 'pairing'
/** A change takes milliseconds; after a crash the right is free again when this is over. */
const leaseMs = 5000
const againMs = 25
const mostTries = 300

/** Runs changes one after the other, within this process and beside others that share the store. */
export function createExclusive({ leases, owner, folder, clock }: ExclusiveOptions): <T>(change: () => T) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  const hold = async (): Promise<void> => {
    for (let tries = 0; !(await leases.hold(leaseName, owner, leaseMs)); tries++) {
      if (tries >= mostTries) throw fail('STORE_BUSY', { file: folder })
      await clock.sleep(againMs)
    }
  }
  return (change) => {
    const turn = last.then(async () => {
      await hold()
      try {
        return change()
      } finally {
        await leases.release(leaseName, owner)
      }
    })
    last = turn.catch(() => undefined)
    return turn
  }
}
