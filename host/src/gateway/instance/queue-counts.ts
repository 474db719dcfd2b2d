import type { Clock, Log } from '@agent/plugin-sdk'
import type { Journal } from '#store/journal.ts'

/** What waits for a platform. */
export interface QueueCounts {
  readonly platform: string
  /** Messages without an answer yet. */
  readonly inbox: number
  /** Parts of answers that are not sent yet. */
  readonly outbox: number
  /** Sends of which nobody can tell whether they arrived. */
  readonly unknown: number
}

/** Platforms for which something waits, by name. */
export async function countQueues(journal: Pick<Journal, 'pending' | 'unknownSends'>): Promise<readonly QueueCounts[]> {
  const [pending, lost] = await Promise.all([journal.pending(), journal.unknownSends()])
  const counts = new Map<string, QueueCounts>()
  const add = (platform: string, more: Partial<QueueCounts>): void => {
    const { inbox, outbox, unknown } = counts.get(platform) ?? { inbox: 0, outbox: 0, unknown: 0 }
    const sum = { inbox: inbox + (more.inbox ?? 0), outbox: outbox + (more.outbox ?? 0), unknown: unknown + (more.unknown ?? 0) }
    counts.set(platform, { platform, ...sum })
  }
  for (const { platform, inbox, outbox } of pending) add(platform, { inbox, outbox })
  for (const { platform } of lost) add(platform, { unknown: 1 })
  return [...counts.values()].sort((one, other) => one.platform.localeCompare(other.platform))
}

export interface KeepCountsOptions {
  readonly journal: Pick<Journal, 'pending' | 'unknownSends'>
  readonly onCounted: (counts: readonly QueueCounts[]) => void
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

const countEveryMs = 60_000

/** Counts now, and again and again until the signal fires; what fails later is tried again. */
export async function keepCounting(options: KeepCountsOptions): Promise<void> {
  options.onCounted(await countQueues(options.journal))
  void countAgain(options)
}

async function countAgain({ journal, onCounted, clock, log, signal }: KeepCountsOptions): Promise<void> {
  for (;;) {
    await clock.sleep(countEveryMs, signal).catch(() => undefined)
    if (signal.aborted) return
    try {
      onCounted(await countQueues(journal))
    } catch (error) {
      log.warn('the state of the gateway could not be written', { error: String(error) })
    }
  }
}
