/** Counts the sends that are under way, so that a connection closes only when each has its receipt. */
export interface SendGate {
  /** Runs a send; throws what `refuse` makes once the gate is shut. */
  run<T>(send: () => Promise<T>): Promise<T>
  /** Lets nothing more begin; resolves when what was begun is over, or `signal` fires. */
  finish(signal: AbortSignal): Promise<void>
}

/** An open gate; a send that comes when it is shut rejects with what `refuse` makes. */
export function createSendGate(refuse: () => Error): SendGate {
  const running = new Set<Promise<unknown>>()
  let shut = false
  return {
    run: async (send) => {
      if (shut) throw refuse()
      const sending = send()
      const settled = sending.catch(() => undefined)
      running.add(settled)
      void settled.then(() => running.delete(settled))
      return await sending
    },
    finish: async (signal) => {
      shut = true
      if (signal.aborted) return
      const givenUp = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      await Promise.race([Promise.all(running), givenUp])
    },
  }
}
