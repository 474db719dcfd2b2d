import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../contract/context.ts'

/** The time of this machine; what a plugin gets where its real connections need real time. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    sleep: async (ms, signal) => {
      await sleep(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
        throw signal?.aborted ? signal.reason : error
      })
    },
  }
}
