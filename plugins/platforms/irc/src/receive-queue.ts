import type { Clock, InboundMessage, PlatformContext } from '@agent/plugin-sdk'

export interface ReceiveQueueOptions {
  readonly receive: PlatformContext['receive']
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly pause: () => void
  readonly resume: () => void
  /** The host cannot take messages any more. */
  readonly onFailure: (error: unknown) => void
}

/** More than this and the server has to wait; until then its PINGs are still answered. */
const mostWaiting = 50

/** Hands messages in one after the other, and offers each again until it is taken. */
export function createReceiveQueue(options: ReceiveQueueOptions): (message: InboundMessage) => void {
  const waiting: InboundMessage[] = []
  let running = false

  const handIn = async (message: InboundMessage): Promise<void> => {
    for (;;) {
      const answer = await options.receive(message)
      if (answer.status !== 'busy') return
      await options.clock.sleep(answer.retryAfterMs, options.signal)
    }
  }
  const run = async (): Promise<void> => {
    running = true
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await handIn(next)
      if (waiting.length < mostWaiting) options.resume()
    }
    running = false
  }
  return (message) => {
    if (options.signal.aborted) return
    waiting.push(message)
    if (waiting.length >= mostWaiting) options.pause()
    if (!running) run().catch(options.onFailure)
  }
}
