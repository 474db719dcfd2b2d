import type { FakeSocket } from '@agent/plugin-sdk/testing'

/** The server's side of the events: a challenge, and a number for each event. */
export interface EventsDoor {
  accept(socket: FakeSocket): void
  tell(event: string, data: object): void
  /** The next event counts, but does not arrive. */
  swallowNext(): void
  /** Sends text as it is to every listener. */
  raw(text: string): void
  /** The next challenge is not answered, or with a refusal. */
  onChallenge(answer: 'silence' | 'refusal'): void
}

interface Listener {
  readonly socket: FakeSocket
  seq: number
}

const unknownToken = { id: 'api.web_socket_router.not_authenticated.app_error', message: 'Invalid or expired session, please login again.' }

export function createEventsDoor(token: string): EventsDoor {
  const listeners = new Set<Listener>()
  let swallowing = false
  let planned: 'silence' | 'refusal' | undefined
  const tellOne = (listener: Listener, event: string, data: object): void => {
    const broadcast = { omit_users: null, user_id: '', channel_id: '', team_id: '' }
    const text = JSON.stringify({ event, data, broadcast, seq: listener.seq })
    listener.seq += 1
    if (!swallowing) listener.socket.send(text)
  }
  const challenge = (socket: FakeSocket, seq: number, given: unknown): void => {
    const answer = planned ?? (given === token ? 'welcome' : 'refusal')
    planned = undefined
    if (answer === 'refusal') socket.send(JSON.stringify({ status: 'FAIL', seq_reply: seq, error: unknownToken }))
    if (answer !== 'welcome') return
    const listener = { socket, seq: 0 }
    listeners.add(listener)
    socket.onClose(() => listeners.delete(listener))
    tellOne(listener, 'hello', { server_version: '10.11.0', connection_id: 'c1' })
    socket.send(JSON.stringify({ status: 'OK', seq_reply: seq }))
  }
  return {
    accept: (socket) => {
      socket.onText((text) => {
        const { seq, action, data } = JSON.parse(text) as { seq: number; action: string; data: { token?: string } }
        if (action === 'authentication_challenge') challenge(socket, seq, data.token)
      })
    },
    tell: (event, data) => {
      for (const listener of listeners) tellOne(listener, event, data)
      swallowing = false
    },
    swallowNext: () => {
      swallowing = true
    },
    raw: (text) => {
      for (const { socket } of listeners) socket.send(text)
    },
    onChallenge: (answer) => {
      planned = answer
    },
  }
}
