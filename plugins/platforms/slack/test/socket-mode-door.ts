import type { FakeSocket } from '@agent/plugin-sdk/testing'

/** The sockets of Socket Mode: each thing is told on one of them, until it is acknowledged. */
export interface SocketModeDoor {
  enter(socket: FakeSocket): void
  createTicket(): string
  takeTicket(ticket: string): boolean
  /** Tells something on the newest socket; it waits where there is none. */
  deliver(type: string, payload: unknown): void
  /** Tells everything again that was told last, as Slack does when no acknowledgement came in time. */
  redeliver(): void
  /** Sends `disconnect` on the newest socket. */
  disconnect(reason: string): void
  raw(text: string): void
  /** No hello on new sockets. */
  muteHello(): void
  /** Payloads that were not acknowledged yet. */
  pending(): readonly unknown[]
  sockets(): number
  newest(): FakeSocket | undefined
}

export function createSocketModeDoor(): SocketModeDoor {
  const tickets = new Set<string>()
  const sockets: FakeSocket[] = []
  const unacknowledged = new Map<string, { type: string; payload: unknown }>()
  let last: { type: string; payload: unknown } | undefined
  let count = 0
  let mute = false
  const tell = (thing: { type: string; payload: unknown }): void => {
    count += 1
    const id = `envelope-${count}`
    unacknowledged.set(id, thing)
    sockets.at(-1)?.send(JSON.stringify({ ...thing, envelope_id: id, accepts_response_payload: thing.type !== 'events_api' }))
  }
  return {
    enter: (socket) => {
      sockets.push(socket)
      socket.onClose(() => void sockets.splice(sockets.indexOf(socket), 1))
      socket.onText((text) => {
        const { envelope_id } = JSON.parse(text) as { envelope_id: string }
        if (!unacknowledged.delete(envelope_id)) socket.close(1008, 'an envelope that nobody sent')
      })
      if (mute) return
      socket.send(JSON.stringify({ type: 'hello', num_connections: sockets.length, debug_info: { host: 'applink-1' } }))
      const waiting = [...unacknowledged.values()]
      unacknowledged.clear()
      for (const thing of waiting) tell(thing)
    },
    createTicket: () => {
      count += 1
      const ticket = `ticket-${count}`
      tickets.add(ticket)
      return ticket
    },
    takeTicket: (ticket) => tickets.delete(ticket),
    deliver: (type, payload) => {
      last = { type, payload }
      tell(last)
    },
    redeliver: () => {
      if (last) tell(last)
    },
    disconnect: (reason) => sockets.at(-1)?.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-1' } })),
    raw: (text) => sockets.at(-1)?.send(text),
    muteHello: () => {
      mute = true
    },
    pending: () => [...unacknowledged.values()].map(({ payload }) => payload),
    sockets: () => sockets.length,
    newest: () => sockets.at(-1),
  }
}
