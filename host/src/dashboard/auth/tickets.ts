import { randomBytes } from 'node:crypto'
import type { Clock } from '@agent/plugin-sdk'

/** A browser cannot give a WebSocket a header: it gets a ticket for one, so that no token stands in an address. */
export interface Tickets {
  /** `lasts`: whether the login that it was given to still holds. */
  create(lasts: Lasts): string
  /** Once, within the time of a ticket, what its socket lives by. */
  take(ticket: string): Lasts | undefined
}

export type Lasts = () => boolean

const livesMs = 30_000
const mostWaiting = 1000

export function createTickets(clock: Pick<Clock, 'now'>): Tickets {
  const ends = new Map<string, { readonly end: number; readonly lasts: Lasts }>()
  const forgetOld = (): void => {
    for (const [ticket, { end }] of ends) if (end <= clock.now() || ends.size > mostWaiting) ends.delete(ticket)
  }
  return {
    create(lasts) {
      forgetOld()
      const ticket = randomBytes(32).toString('base64url')
      ends.set(ticket, { end: clock.now() + livesMs, lasts })
      return ticket
    },
    take(ticket) {
      const found = ends.get(ticket)
      ends.delete(ticket)
      return found && clock.now() < found.end && found.lasts() ? found.lasts : undefined
    },
  }
}
