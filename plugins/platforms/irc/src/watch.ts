import type { Clock } from '@agent/plugin-sdk'
import type { Client } from './client.ts'

export interface WatchOptions {
  readonly client: Client
  readonly clock: Clock
  /** Done every minute. */
  readonly onMinute: () => void
}

const beatMs = 15_000
const quietMs = 60_000

/** Asks a server that has gone quiet for a sign of life; the gateway gives up one that has none. Ends with the connection. */
export async function watch({ client, clock, onMinute }: WatchOptions): Promise<void> {
  for (let beat = 1; !client.signal.aborted; beat += 1) {
    await clock.sleep(beatMs, client.signal).catch(() => undefined)
    if (client.signal.aborted) return
    if (clock.now() - client.lastHeard() >= quietMs) client.write('PING', 'still-there')
    if (beat % 4 === 0) onMinute()
  }
}
