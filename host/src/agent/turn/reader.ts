import { type Call, type Clock, isOverWithin, linkSignals, type TurnEvent } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createEventQueue } from './event-queue.ts'
import type { Turn } from './turn.ts'

/** The side of a turn that somebody reads. */
export interface Reader {
  readonly events: AsyncIterable<TurnEvent>
  /** Fires when the caller gives up, and when the reader leaves or does not read. */
  readonly signal: AbortSignal
  readonly emit: Turn['emit']
  readonly room: Turn['room']
  end(error?: unknown): void
}

/** What waits for a reader, in characters; the model is not read while there is more. */
const mostWaiting = 262_144
/** What an event takes beside its text. */
const eventWeight = 128
/** Who takes nothing for so long has left. */
const unreadMs = 120_000

/** Holds the turn back for a reader that is slower, for a while: one that does not read is one that has left, and interrupts it. */
export function openReader(call: Call, clock: Clock): Reader {
  const link = linkSignals(call.signal)
  const leave = (): void => link.abort(fail('INTERRUPTED'))
  const queue = createEventQueue<TurnEvent>({ onAbandon: leave, weigh, most: mostWaiting })
  const wait = async (room: Promise<void>): Promise<void> => {
    if (!(await isOverWithin({ clock, ms: unreadMs, signal: link.signal }, room))) leave()
  }
  return {
    events: queue,
    signal: link.signal,
    emit: queue.push,
    room: () => {
      const room = queue.room()
      return room && wait(room)
    },
    end: (error) => {
      link[Symbol.dispose]()
      queue.end(error)
    },
  }
}

function weigh(event: TurnEvent): number {
  return eventWeight + ('text' in event ? event.text.length : 0)
}
