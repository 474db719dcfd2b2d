/** Events pushed by one side and read by the other, in order; reading never waits while there are any. */
export interface EventQueue<T> extends AsyncIterable<T> {
  push(event: T): void
  /** No more events come; the reader ends after the last one, or throws when an error is given. */
  end(error?: unknown): void
}

/**
 * `onAbandon` runs when the reader stops before the end.
 * A queue instead of nested generators: a streamed token passes one hop, whatever number of phases it comes through.
 */
export function createEventQueue<T>(onAbandon: () => void): EventQueue<T> {
  let waiting: T[] = []
  let wake: (() => void) | undefined
  let ended = false
  let failure: unknown
  const notify = (): void => {
    wake?.()
    wake = undefined
  }
  async function* read(): AsyncGenerator<T> {
    try {
      while (true) {
        const batch = waiting
        waiting = []
        yield* batch
        if (waiting.length > 0) continue
        if (ended) break
        await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      if (!ended) onAbandon()
    }
    if (failure !== undefined) throw failure
  }
  return {
    push: (event) => {
      waiting.push(event)
      notify()
    },
    end: (error) => {
      ended = true
      failure = error
      notify()
    },
    [Symbol.asyncIterator]: read,
  }
}
