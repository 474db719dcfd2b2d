import type { Clock, Log } from '@agent/plugin-sdk'
import type { Store } from '#store/store.ts'
import { createPausing } from './paused-platforms.ts'
import type { Link } from './platform-link.ts'
import { watchOthers } from './watch-others.ts'

export interface FollowWishesOptions {
  readonly store: Pick<Store, 'kv' | 'isWrittenElsewhere'>
  readonly links: ReadonlyMap<string, Link>
  readonly outbox: { wake(): void }
  readonly scheduler: { wake(): void }
  readonly posting: { wake(): void }
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** Does what other processes of the home ask for: to send something, to run a job, to pause a platform. */
export function followWishes(options: FollowWishesOptions): void {
  const { store, links, outbox, scheduler, posting, log } = options
  const pausing = createPausing({ kv: store.kv, links, log })
  const onWritten = (): void => {
    outbox.wake()
    scheduler.wake()
    posting.wake()
    void pausing()
  }
  void watchOthers({ ...options, onWritten })
}
