import type { Clock, PlatformContext } from '../contract/context.ts'
import type { InboundMessage } from '../contract/messages.ts'

/** How a platform hands in what arrives. */
export interface ReceiveQueueOptions {
  readonly receive: PlatformContext['receive']
  readonly clock: Clock
  /** The life of the connection; what waits at its end was never acknowledged. */
  readonly signal: AbortSignal
  /** Stops and goes on reading from the platform, where that can be done. */
  readonly pause?: () => void
  readonly resume?: () => void
  /** The host cannot take messages any more: end the connection. */
  readonly onFailure: (error: unknown) => void
  /** How many may wait before reading stops; until then a keepalive among them is still seen. */
  readonly mostWaiting?: number
}

/** Hands messages in one after the other, and offers each again until it is taken. Resolves a message once it may be acknowledged. */
export function createReceiveQueue(options: ReceiveQueueOptions): (message: InboundMessage) => Promise<void> {
  const { receive, clock, signal, pause, resume, onFailure, mostWaiting = 50 } = options
  let last = Promise.resolve()
  let waiting = 0
  let failed = false

  const handIn = async (message: InboundMessage): Promise<void> => {
    for (;;) {
      signal.throwIfAborted()
      const answer = await receive(message)
      if (answer.status !== 'busy') return
      await clock.sleep(answer.retryAfterMs, signal)
    }
  }
  return (message) => {
    waiting += 1
    if (waiting === mostWaiting) pause?.()
    const taken = last.then(() => handIn(message))
    // After a failure nothing more is handed in: what comes later must not overtake what was lost.
    last = taken
    taken.then(
      () => {
        waiting -= 1
        if (waiting === mostWaiting - 1) resume?.()
      },
      (error: unknown) => {
        if (!failed && !signal.aborted) onFailure(error)
        failed = true
      },
    )
    return taken
  }
}
