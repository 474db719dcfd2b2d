import { flatten } from '#models/protocols/flatten.ts'

/** Events pushed by one side and read by the other, in order; reading never waits while there are any. */
export interface EventQueue<T> extends AsyncIterable<T> {
  push(event: T): void
  /** No more events come; the reader ends after the last one, or throws when an error is given. */
  end(error?: unknown): void
  /** Undefined while the reader keeps up; else resolves when it has taken what waits, or has left. */
  room(): Promise<void> | undefined
}

export interface EventQueueOptions<T> {
  /** Runs when the reader stops before the end. */
  readonly onAbandon: () => void
  /** How much of the memory an event takes, in any unit. */
  readonly weigh: (event: T) => number
  /** More than this makes the writer wait. */
  readonly most: number
}

/** A queue instead of nested generators: a streamed token passes one hop, whatever number of phases it comes through. */
export function createEventQueue<T>({ onAbandon, weigh, most }: EventQueueOptions<T>): EventQueue<T> {
  let waiting: T[] = []
  let weight = 0
  let wake: (() => void) | undefined
  let wakeWriter: (() => void) | undefined
  let ended = false
  let left = false
  let failure: unknown
  const notify = (): void => {
    wake?.()
    wake = undefined
  }
  const makeRoom = (): void => {
    weight = 0
    wakeWriter?.()
    wakeWriter = undefined
  }
  async function* read(): AsyncGenerator<readonly T[], void> {
    try {
      while (true) {
        const batch = waiting
        waiting = []
        makeRoom()
        yield batch
        if (waiting.length > 0) continue
        if (ended) break
        await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      left = true
      makeRoom()
      if (!ended) onAbandon()
    }
    if (failure !== undefined) throw failure
  }
  return {
    push: (event) => {
      if (left) return
      weight += weigh(event)
      waiting.push(event)
      notify()
    },
    end: (error) => {
      ended = true
      failure = error
      notify()
    },
    room: () => (weight > most && !left ? new Promise((resolve) => (wakeWriter = resolve)) : undefined),
    ...flatten(read),
  }
}
