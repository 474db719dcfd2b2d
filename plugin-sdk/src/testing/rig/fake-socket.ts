import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'

/** The server's end of a WebSocket. */
export interface FakeSocket {
  /** Path and query under which it was opened. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  send(text: string): void
  onText(listen: (text: string) => void): void
  onClose(listen: (code: number) => void): void
  close(code: number, reason?: string): void
  /** Breaks the connection without a closing frame. */
  cut(): void
  /** Takes everything and answers nothing from now on, not even a ping. */
  halfOpen(): void
}

export interface SocketDoor {
  readonly open: ReadonlySet<FakeSocket>
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void
  close(): void
}

/** Lets sockets in where `accept` does not answer with a status that refuses them. */
export function createSocketDoor(
  accept: (socket: FakeSocket) => void,
  refuse: (request: IncomingMessage) => number | undefined,
): SocketDoor {
  const server = new WebSocketServer({ noServer: true, autoPong: false })
  const open = new Set<FakeSocket>()
  const enter = (request: IncomingMessage, socket: WebSocket): void => {
    const one = createFakeSocket(request, socket)
    open.add(one)
    socket.on('error', () => socket.terminate())
    socket.on('close', () => open.delete(one))
    accept(one)
  }
  return {
    open,
    upgrade: (request, stream, head) => {
      const status = refuse(request)
      if (status === undefined) server.handleUpgrade(request, stream, head, (socket) => enter(request, socket))
      else stream.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    },
    close: () => {
      for (const socket of open) socket.cut()
      server.close()
    },
  }
}

function createFakeSocket(request: IncomingMessage, socket: WebSocket): FakeSocket {
  let silent = false
  socket.on('ping', (data) => {
    if (!silent) socket.pong(data)
  })
  return {
    url: request.url ?? '/',
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    send: (text) => {
      if (!silent && socket.readyState === socket.OPEN) socket.send(text)
    },
    onText: (listen) => {
      socket.on('message', (data) => {
        if (!silent) listen(String(data))
      })
    },
    onClose: (listen) => void socket.on('close', listen),
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
    halfOpen: () => {
      silent = true
    },
  }
}
