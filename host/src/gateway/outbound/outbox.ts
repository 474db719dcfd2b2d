import { setMaxListeners } from 'node:events'
import { fail } from '@agent/plugin-sdk/errors'
import type { ClaimedSend, Journal } from '#store/journal.ts'
import { untilWritten } from '#store/until-written.ts'
import { openPump, type Pump, type WorkSource } from '../pump/pump.ts'
import { type DeliverOptions, deliverSend } from './deliver-send.ts'
import { createSendTries } from './send-tries.ts'

export interface OutboxOptions extends Omit<DeliverOptions, 'tries' | 'signal'> {
  readonly journal: Journal
  readonly owner: string
  /** Ids of the messaging platforms that may send. */
  readonly platforms: readonly string[]
  readonly concurrency: number
}

export interface Outbox {
  /** Looks for work again, for instance after a platform connected. */
  wake(): void
  /** From now on a platform sends, or sends no more; what is under way ends in its own time. */
  follow(platform: string, sends: boolean): void
  /** A platform has connected: it sends what waits, and is asked again about what lately became unknown. */
  onConnected(platform: string): void
  close(): Promise<void>
}

/** What has been unknown for longer is not asked about by itself any more: the person has long gone on. */
const askAgainMs = 24 * 3_600_000

/** Sends what the journal holds, in order per conversation, and writes down every receipt. */
export function openOutbox(given: OutboxOptions): Outbox {
  const options = { ...given, clock: { ...given.clock, now: given.journal.now } }
  const { journal } = options
  const stop = new AbortController()
  // Everything in work listens to it; Node would take that for a leak.
  setMaxListeners(0, stop.signal)
  const pumps = new Map(options.platforms.map((platform) => [platform, openLane(options, platform, stop.signal)]))
  const left: Promise<void>[] = []
  const wake = (): void => {
    for (const pump of pumps.values()) pump.wake()
  }
  return {
    wake,
    follow: (platform, sends) => {
      const pump = pumps.get(platform)
      if (sends && !pump) pumps.set(platform, openLane(options, platform, stop.signal))
      if (!sends && pump) {
        pumps.delete(platform)
        left.push(pump.close())
      }
      wake()
    },
    onConnected: (platform) => {
      const can = options.catalog.find('platform', platform)?.spec.capabilities.findSent === true
      const asked = can ? journal.askAgain(platform, options.clock.now() - askAgainMs) : Promise.resolve()
      asked
        .catch((error: unknown) => options.log.error('a platform was not asked about lost receipts', { platform, error: String(error) }))
        .finally(() => pumps.get(platform)?.wake())
    },
    close: async () => {
      stop.abort(fail('INTERRUPTED'))
      await Promise.all([...[...pumps.values()].map((pump) => pump.close()), ...left])
    },
  }
}

/**
 * The sends of one platform. Where nobody can tell what became of a send that a crash cut off, only one is under way at a time:
 * a crash then leaves at most one unknown.
 */
function openLane(options: OutboxOptions, platform: string, stop: AbortSignal): Pump {
  const { journal, owner, catalog, clock, log } = options
  const delivering: DeliverOptions = { ...options, tries: createSendTries(), signal: stop }
  const most = (): number => {
    const { capabilities, limits } = catalog.find('platform', platform)?.spec ?? {}
    const isTold = capabilities?.idempotentSend || capabilities?.findSent
    return isTold ? Math.min(options.concurrency, limits?.sendsAtOnce ?? 1) : 1
  }
  const source: WorkSource<ClaimedSend> = {
    claim: () => journal.claimSend(owner, { platform }),
    nextAt: (after) => journal.nextSendAt(platform, after),
    onWork: (wake) => journal.onWork((work) => work === 'outbox' && wake()),
  }
  return openPump({ source, most, work: (send) => deliver(options, delivering, send), name: 'outbox', stop, clock, log })
}

async function deliver({ journal }: OutboxOptions, delivering: DeliverOptions, send: ClaimedSend): Promise<void> {
  const result = await deliverSend(delivering, send)
  if (send.attempts > 1 && result.status !== 'retry') delivering.tries.forget(send)
  await untilWritten(delivering, delivering.signal, () => journal.settleSend(send, result))
}
