import type { Clock } from '@agent/plugin-sdk'
import { type Client, lost } from './client.ts'

export interface WatchOptions {
  readonly client: Client
  readonly clock: Clock
  /** Done every minute. */
  readonly onMinute: () => void
}

const beatMs = 15_000
const quietMs = 60_000
const deadMs = 120_000

/** Asks a server that has gone quiet, and gives up one that says nothing more. Ends with the connection. */
export async function watch({ client, clock, onMinute }: WatchOptions): Promise<void> {
  for (let beat = 1; !client.signal.aborted; beat += 1) {
    await clock.sleep(beatMs, client.signal).catch(() => undefined)
    if (client.signal.aborted) return
    const quiet = clock.now() - client.lastHeard()
    if (quiet >= deadMs) return client.end(lost(`nothing was heard for ${Math.round(quiet / 1000)} seconds`))
    if (quiet >= quietMs) client.write('PING', 'still-there')
    if (beat % 4 === 0) onMinute()
  }
}
