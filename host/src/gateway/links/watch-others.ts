import type { Clock, Log } from '@agent/plugin-sdk'
import type { Store } from '#store/store.ts'

export interface WatchOthersOptions {
  readonly store: Pick<Store, 'isWrittenElsewhere'>
  /** Another process has put something into the store. */
  readonly onWritten: () => void
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

const lookEveryMs = 1000

/** What other processes of the home ask for is seen within a second, until the signal fires. */
export async function watchOthers({ store, onWritten, clock, log, signal }: WatchOthersOptions): Promise<void> {
  for (;;) {
    await clock.sleep(lookEveryMs, signal).catch(() => undefined)
    if (signal.aborted) return
    try {
      if (store.isWrittenElsewhere()) onWritten()
    } catch (error) {
      log.warn('it could not be seen whether another process wrote something', { error: String(error) })
    }
  }
}
