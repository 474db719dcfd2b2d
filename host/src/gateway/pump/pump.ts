import { type LinkedSignals, linkSignals } from '@agent/plugin-sdk'
import { untilWritten, type WrittenOptions } from '#store/until-written.ts'

/** Where work comes from. */
export interface WorkSource<Item> {
  /** Takes what is next; null while there is nothing. */
  claim(): Promise<Item | null>
  /** When something may be claimed that could not be at `after`; null when nothing waits. Absent: nothing waits for a time. */
  nextAt?(after: number): Promise<number | null>
  /** Tells when there may be more. What it returns ends that. */
  onWork(wake: () => void): () => void
}

export interface PumpOptions<Item> extends WrittenOptions {
  readonly source: WorkSource<Item>
  readonly work: (item: Item) => Promise<void>
  /** How many may be in work at the same time. */
  readonly most: () => number
  /** What the source is called where it fails. */
  readonly name: string
  /** Nothing more is claimed after it fired. */
  readonly stop: AbortSignal
}

export interface Pump {
  /** Looks for work again. */
  wake(): void
  /** Claims nothing more; resolves when what is in work has ended. */
  close(): Promise<void>
}

/** Takes work from its source as long as there is some and room for it. It looks again when the source tells, when something ended and when a time has come. */
export function openPump<Item>(options: PumpOptions<Item>): Pump {
  const { source, work, most, name, stop, clock, log } = options
  const running = new Set<Promise<void>>()
  const claimSome = createClaimer(() => source.claim())
  let closed = false
  let claiming = false
  let again = false
  let alarm: LinkedSignals | undefined
  const isOver = (): boolean => closed || stop.aborted

  const pump = async (): Promise<void> => {
    again = true
    if (claiming) return
    claiming = true
    try {
      while (again && !isOver()) {
        again = false
        const before = clock.now()
        await claimAll()
        // What became due since then has no other alarm, and who wakes meanwhile is heard by the next round.
        await setAlarm(before)
      }
    } finally {
      claiming = false
    }
  }
  const claimAll = async (): Promise<void> => {
    const room = most()
    while (running.size < room && !isOver()) {
      const items = await claimSome(room - running.size)
      if (items.length === 0) return
      for (const item of items) start(item)
    }
  }
  const start = (item: Item): void => {
    const done = work(item)
      .catch((error: unknown) => log.error(`something of the ${name} could not be finished`, { error: String(error) }))
      .finally(() => {
        running.delete(done)
        wake()
      })
    running.add(done)
  }
  const setAlarm = async (after: number): Promise<void> => {
    alarm?.abort('replaced')
    const at = (await source.nextAt?.(after)) ?? null
    if (at === null || isOver()) return
    const current = linkSignals(stop)
    alarm = current
    const due = clock.sleep(Math.max(at - clock.now(), 1), current.signal)
    due.finally(current[Symbol.dispose]).then(wake, () => undefined)
  }
  const wake = (): void => {
    untilWritten({ clock, log }, stop, pump).catch((error: unknown) => {
      if (!stop.aborted) log.error(`the ${name} cannot be read`, { error: String(error) })
    })
  }
  const off = source.onWork(wake)
  return {
    wake,
    close: async () => {
      closed = true
      off()
      alarm?.abort('replaced')
      await Promise.allSettled(running)
    },
  }
}

/**
 * Claims several at once, as many as lately turned up: claims of one turn of the event loop share one flush to the disk,
 * claims that wait for each other pay for one each.
 */
export function createClaimer<T>(claim: () => Promise<T | null>): (room: number) => Promise<readonly T[]> {
  let appetite = 1
  return async (room) => {
    const asked = Math.min(appetite, room)
    const results = await Promise.allSettled(Array.from({ length: asked }, claim))
    const found: T[] = []
    for (const result of results) if (result.status === 'fulfilled' && result.value !== null) found.push(result.value)
    appetite = found.length === asked ? asked * 2 : Math.max(found.length, 1)
    // What was claimed beside a failure must be worked on; the failure comes back with the next claim.
    const failure = results.find((result) => result.status === 'rejected')
    if (failure && found.length === 0) throw failure.reason
    return found
  }
}
