import { setMaxListeners } from 'node:events'
import type { Clock, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Claim, Journal } from '#store/journal.ts'
import { createClaimer } from '../claim-some.ts'
import { untilWritten } from '../until-written.ts'

export interface InboxPumpOptions {
  readonly journal: Journal
  /** Boot id of this gateway. */
  readonly owner: string
  /** Gives a message its one answer, or gives it back. */
  readonly answer: (claim: Claim, signal: AbortSignal) => Promise<void>
  /** Messages that may be answered at the same time. */
  readonly concurrency: number
  readonly clock: Clock
  readonly log: Log
}

export interface InboxPump {
  /** Stops claiming, interrupts what runs and gives unfinished messages back. */
  close(): Promise<void>
}

/** Takes accepted messages in order, one per conversation at a time, and answers each through the journal. */
export function openInboxPump(options: InboxPumpOptions): InboxPump {
  const stop = new AbortController()
  // Everything in work listens to it; Node would take that for a leak.
  setMaxListeners(0, stop.signal)
  const running = new Set<Promise<void>>()
  let claiming = false
  let again = false

  const pump = async (): Promise<void> => {
    again = true
    if (claiming) return
    claiming = true
    try {
      while (again && !stop.signal.aborted) {
        again = false
        await claimAll()
      }
    } finally {
      claiming = false
    }
  }
  const claimSome = createClaimer(() => options.journal.claim(options.owner))
  const claimAll = async (): Promise<void> => {
    while (running.size < options.concurrency && !stop.signal.aborted) {
      const claims = await claimSome(options.concurrency - running.size)
      if (claims.length === 0) return
      for (const claim of claims) start(claim)
    }
  }
  const start = (claim: Claim): void => {
    const work = options
      .answer(claim, stop.signal)
      .catch((error: unknown) => options.log.error('a message could not be settled', { platform: claim.platform, error: String(error) }))
      .finally(() => {
        running.delete(work)
        wake()
      })
    running.add(work)
  }
  const wake = (): void => void untilWritten(options, stop.signal, pump).catch((error: unknown) => onUnreadable(error))
  const onUnreadable = (error: unknown): void => {
    if (!stop.signal.aborted) options.log.error('the inbox cannot be read', { error: String(error) })
  }
  const off = options.journal.onWork((work) => work === 'inbox' && wake())
  wake()
  return {
    close: async () => {
      off()
      stop.abort(fail('INTERRUPTED'))
      await Promise.allSettled(running)
    },
  }
}
