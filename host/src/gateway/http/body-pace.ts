import type { Readable } from 'node:stream'

/** What all bodies of a listener bring in one turn of the event loop. */
const mostOfTurn = 131_072

/** Told about each piece that was taken; the body waits for a later turn where this one has had enough. */
export type BodyPace = (body: Pick<Readable, 'pause' | 'resume'>, bytes: number) => void

/** Lets bodies come in turns. A hundred that come whole in one turn, and are checked in it, would hold everybody else up. */
export function createBodyPace(nextTurn: (run: () => void) => void = setImmediate): BodyPace {
  const waiting = new Set<Parameters<BodyPace>[0]>()
  let taken = 0
  let isPlanned = false

  function plan(): void {
    if (isPlanned) return
    isPlanned = true
    nextTurn(() => {
      isPlanned = false
      taken = 0
      const [next] = waiting
      if (next === undefined) return
      waiting.delete(next)
      next.resume()
      if (waiting.size > 0) plan()
    })
  }

  return (body, bytes) => {
    taken += bytes
    if (taken > mostOfTurn) {
      body.pause()
      waiting.add(body)
    }
    plan()
  }
}
