import type { Clock, Connection } from '@agent/plugin-sdk'
import { callWithin } from '#kernel/calls/call.ts'

export interface ReceiveWatchdogOptions {
  readonly connection: Connection
  /** Names the platform in errors. */
  readonly platform: string
  /** Silence that is too long, in milliseconds; infinite where a platform is silent by nature. */
  readonly timeoutMs: number
  readonly clock: Clock
  /** Ends the watch. */
  readonly signal: AbortSignal
  readonly onHeard: (at: number) => void
}

const askEveryMs = 10_000

/**
 * Asks a connection when it last heard its platform, and resolves with the length of a silence that is too long.
 * The clock starts now, so that a new connection has its whole time. A connection that cannot say has heard nothing.
 */
export async function watchReception(options: ReceiveWatchdogOptions): Promise<number> {
  const { connection, platform, timeoutMs, clock, signal, onHeard } = options
  let heard = clock.now()
  for (;;) {
    // The last time when the silence becomes too long, and no later.
    await clock.sleep(Math.min(askEveryMs, Math.max(heard + timeoutMs - clock.now(), 1)), signal)
    const within = { clock, signal, deadline: askEveryMs, what: `Asking ${platform} when it was last heard` }
    const said = await callWithin(within, (call) => connection.lastHeard(call)).catch(() => Number.NaN)
    signal.throwIfAborted()
    const now = clock.now()
    if (Number.isFinite(said)) {
      // A proof from the future would keep a deaf connection for ever.
      const proof = Math.min(said, now)
      onHeard(proof)
      heard = Math.max(heard, proof)
    }
    if (now - heard >= timeoutMs) return now - heard
  }
}
