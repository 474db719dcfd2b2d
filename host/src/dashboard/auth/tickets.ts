import { randomBytes } from 'node:crypto'
import type { Clock } from '@agent/plugin-sdk'

/** A browser cannot give a WebSocket a header: it gets a ticket for one, so that no token stands in an address. */
export interface Tickets {
  create(): string
  /** True once, within the time of a ticket. */
  take(ticket: string): boolean
}

const livesMs = 30_000
const mostWaiting = 1000

export function createTickets(clock: Pick<Clock, 'now'>): Tickets {
  const ends = new Map<string, number>()
  const forgetOld = (): void => {
    for (const [ticket, end] of ends) if (end <= clock.now() || ends.size > mostWaiting) ends.delete(ticket)
  }
  return {
    create() {
      forgetOld()
      const ticket = randomBytes(32).toString('base64url')
      ends.set(ticket, clock.now() + livesMs)
      return ticket
    },
    take(ticket) {
      const end = ends.get(ticket)
      ends.delete(ticket)
      return end !== undefined && clock.now() < end
    },
  }
}
