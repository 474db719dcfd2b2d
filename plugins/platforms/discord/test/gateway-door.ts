import type { FakeSocket } from '@agent/plugin-sdk/testing'

/** What the gateway of the tests does wrong. */
export interface GatewayFaults {
  /** It takes connections and never says hello. */
  mute?: boolean
  /** It acknowledges no heartbeat. */
  deaf?: boolean
  /** Sessions cannot be resumed. */
  forgetful?: boolean
  /** Closes with this code instead of beginning a session. */
  refuseStart?: number
}

export interface GatewayDoorOptions {
  readonly token: string
  readonly heartbeatMs: number
  readonly url: () => string
  /** What is told of the bot and its servers after the begin. */
  readonly ready: () => { readonly ready: object; readonly guilds: readonly object[] }
  readonly contentIntent: boolean
}

/** The server's side of the gateway: sessions, sequences, heartbeats, and events kept for those who resume. */
export interface GatewayDoor {
  readonly faults: GatewayFaults
  accept(socket: FakeSocket): void
  dispatch(name: string, data: unknown): void
  /** Sends a frame as it is to every client that is connected. */
  raw(frame: unknown): void
  /** Closes all connections with a code. */
  close(code: number): void
  cut(): void
  halfOpen(): void
  /** How often a session was begun, and how often resumed. */
  readonly counts: { identify: number; resume: number; heartbeat: number }
}

interface Session {
  readonly id: string
  readonly events: { readonly s: number; readonly t: string; readonly d: unknown }[]
  socket: FakeSocket | undefined
}

const messageContent = 1 << 15

export function createGatewayDoor(options: GatewayDoorOptions): GatewayDoor {
  const sessions = new Map<string, Session>()
  const sockets = new Set<FakeSocket>()
  const faults: GatewayFaults = {}
  const counts = { identify: 0, resume: 0, heartbeat: 0 }
  const write = (socket: FakeSocket, frame: object): void => socket.send(JSON.stringify({ s: null, t: null, d: null, ...frame }))
  const tell = (session: Session, t: string, d: unknown): void => {
    const event = { s: session.events.length + 1, t, d }
    session.events.push(event)
    if (session.socket) write(session.socket, { op: 0, ...event })
  }
  const refuseStart = ({ token, intents }: { token?: string; intents?: number }): number | undefined => {
    if (faults.refuseStart !== undefined) return faults.refuseStart
    if (token !== options.token) return 4004
    return (Number(intents) & messageContent) !== 0 && !options.contentIntent ? 4014 : undefined
  }
  const identify = (socket: FakeSocket, data: { token?: string; intents?: number }): void => {
    counts.identify += 1
    const refusal = refuseStart(data)
    if (refusal !== undefined) {
      socket.close(refusal)
      return
    }
    const session: Session = { id: `session-${sessions.size + 1}`, events: [], socket }
    sessions.set(session.id, session)
    const { ready, guilds } = options.ready()
    tell(session, 'READY', { v: 10, ...ready, session_id: session.id, resume_gateway_url: options.url() })
    for (const guild of guilds) tell(session, 'GUILD_CREATE', guild)
  }
  const resume = (socket: FakeSocket, data: { token?: string; session_id?: string; seq?: number }): void => {
    counts.resume += 1
    const session = sessions.get(data.session_id ?? '')
    if (data.token !== options.token || !session || faults.forgetful) {
      write(socket, { op: 9, d: false })
      return
    }
    session.socket = socket
    for (const event of session.events.filter(({ s }) => s > (data.seq ?? 0))) write(socket, { op: 0, ...event })
    tell(session, 'RESUMED', {})
  }
  return {
    faults,
    counts,
    accept: (socket) => {
      sockets.add(socket)
      socket.onClose(() => {
        sockets.delete(socket)
        for (const session of sessions.values()) if (session.socket === socket) session.socket = undefined
      })
      if (faults.mute) return
      socket.onText((text) => {
        const { op, d } = JSON.parse(text) as { op: number; d: never }
        if (op === 1) {
          counts.heartbeat += 1
          if (!faults.deaf) write(socket, { op: 11 })
        } else if (op === 2) identify(socket, d)
        else if (op === 6) resume(socket, d)
        else socket.close(4001, 'Unknown opcode.')
      })
      write(socket, { op: 10, d: { heartbeat_interval: options.heartbeatMs } })
    },
    dispatch: (name, data) => {
      for (const session of sessions.values()) tell(session, name, data)
    },
    raw: (frame) => {
      for (const socket of sockets) socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
    },
    close: (code) => {
      for (const socket of sockets) socket.close(code)
    },
    cut: () => {
      for (const socket of sockets) socket.cut()
    },
    halfOpen: () => {
      for (const socket of sockets) socket.halfOpen()
    },
  }
}
