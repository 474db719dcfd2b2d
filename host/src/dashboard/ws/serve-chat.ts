import type { Log } from '@agent/plugin-sdk'
import type { RawData, WebSocket } from 'ws'
import { createConnection, refuseText } from '#rpc/dispatch/dispatch.ts'
import type { Hub } from '#rpc/sessions/hub.ts'
import type { SocketRoute } from './open-web-sockets.ts'

export interface ChatRouteOptions {
  readonly hub: (profile: string) => Promise<Hub>
  readonly isConfigured: (profile: string) => Promise<boolean>
  /** Where the address names none. */
  readonly profile: string
  readonly now: () => number
  readonly log: Log
}

/** So much may wait for a client; one that does not read is cut off, and takes the rest by its numbers when it is back. */
const mostWaiting = 8_388_608

/** `/api/ws`: JSON-RPC, one message for each frame. */
export function serveChat({ hub, isConfigured, now, log, ...options }: ChatRouteOptions): SocketRoute {
  return (socket, { query, signal }) => {
    const profile = query.get('profile') ?? options.profile
    const send = (message: unknown): void => sendText(socket, JSON.stringify(message))
    const receive = createConnection({
      ...{ send, signal, log, now },
      hub: () => hub(profile),
      isConfigured: () => isConfigured(profile),
    })
    socket.on('message', (data, isBinary) => {
      const message = isBinary ? undefined : parse(data)
      if (message === undefined) send(refuseText())
      else void receive(message.value)
    })
  }
}

function sendText(socket: WebSocket, text: string): void {
  if (socket.bufferedAmount > mostWaiting) socket.terminate()
  else socket.send(text)
}

function parse(data: RawData): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(data.toString()) }
  } catch {
    return undefined
  }
}
