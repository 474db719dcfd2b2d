import type { Clock } from '@agent/plugin-sdk'

const idleMs = 15_000
const lookMs = 5_000

/** A stream that must not fall silent. */
export interface Quiet {
  /** When it last said something: milliseconds since 1970. */
  lastWrite: number
  sayAlive(): void
}

export interface KeepAlive {
  /** Watches a stream until the returned function is called. */
  watch(stream: Quiet): () => void
}

/** One timer for all streams, and none while there is no stream. */
export function createKeepAlive(clock: Clock, signal: AbortSignal): KeepAlive {
  const streams = new Set<Quiet>()
  let looking = false

  async function look(): Promise<void> {
    while (streams.size > 0) {
      await clock.sleep(lookMs, signal)
      const now = clock.now()
      for (const stream of streams) {
        if (now - stream.lastWrite >= idleMs) stream.sayAlive()
      }
    }
  }

  return {
    watch(stream) {
      streams.add(stream)
      if (!looking) {
        looking = true
        // Only the plugin's end breaks the sleep, and then no stream is left to keep alive.
        look()
          .catch(() => streams.clear())
          .finally(() => {
            looking = false
          })
      }
      return () => void streams.delete(stream)
    },
  }
}
