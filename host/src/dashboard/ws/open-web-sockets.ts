import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock, Log } from '@agent/plugin-sdk'
import { type WebSocket, WebSocketServer } from 'ws'
import { withoutBase } from '../base-path.ts'
import { findForeign, type Seat } from '../find-foreign.ts'

/** What serves the sockets of a path. */
export type SocketRoute = (socket: WebSocket, client: SocketClient) => void

export interface SocketClient {
  readonly query: URLSearchParams
  /** Fires when the socket is closed. */
  readonly signal: AbortSignal
}

export interface WebSocketsOptions extends Seat {
  readonly server: Pick<Server, 'on' | 'off'>
  /** By path. */
  readonly routes: Readonly<Record<string, SocketRoute>>
  /** Once for each ticket: whether the login of the socket still holds. */
  readonly takeTicket: (ticket: string) => (() => boolean) | undefined
  readonly clock: Clock
  readonly log: Log
  /** How many sockets are open at once. */
  readonly most?: number
  readonly pingMs?: number
}

export interface WebSockets {
  readonly open: () => number
  /** Closes those whose login has ended. */
  closeEnded(): void
  close(): Promise<void>
}

/** Close codes: those of the specification, and of RFC 6455. */
const codes = { noTicket: 4401, intruder: 4403, leaving: 1001, crowded: 1013 } as const
const mostBytes = 1_048_576

/** Opens the WebSockets of a server. A refused one is opened and closed at once, because only so a browser learns why. */
export function openWebSockets(options: WebSocketsOptions): WebSockets {
  const { server, routes, log } = options
  const sockets = new WebSocketServer({ noServer: true, maxPayload: mostBytes, perMessageDeflate: false })
  const logins = new Map<WebSocket, () => boolean>()
  const onUpgrade = (request: IncomingMessage, wire: Duplex, head: Buffer): void => {
    const address = addressOf(request, options.basePath)
    const route = address && Object.hasOwn(routes, address.pathname) ? routes[address.pathname] : undefined
    if (!address || !route) {
      wire.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, wire, head, (socket) => {
      socket.on('error', (error) => log.debug('a WebSocket of the dashboard failed', { error: error.message }))
      const entry = findEntry(options, request, address, sockets.clients.size)
      if ('code' in entry) {
        log.warn('a WebSocket of the dashboard was refused', { why: entry.why })
        socket.close(entry.code, entry.why)
        return
      }
      const gone = new AbortController()
      logins.set(socket, entry.lasts)
      socket.once('close', () => {
        logins.delete(socket)
        gone.abort()
      })
      void keepAlive(socket, options, gone.signal, () => closeEnded(socket, entry.lasts))
      route(socket, { query: address.searchParams, signal: gone.signal })
    })
  }
  server.on('upgrade', onUpgrade)
  return {
    open: () => sockets.clients.size,
    closeEnded() {
      for (const [socket, lasts] of logins) closeEnded(socket, lasts)
    },
    close: async () => {
      server.off('upgrade', onUpgrade)
      const closed = [...sockets.clients].map((socket) => leave(socket, options.clock))
      await Promise.all(closed)
      sockets.close()
    },
  }
}

function addressOf({ url = '' }: IncomingMessage, basePath: string | undefined): URL | undefined {
  const text = `http://localhost${withoutBase(url, basePath)}`
  return url.startsWith('/') && URL.canParse(text) ? new URL(text) : undefined
}

function closeEnded(socket: WebSocket, lasts: () => boolean): void {
  if (!lasts()) socket.close(codes.noTicket, 'the login has ended')
}

type Entry = { readonly code: number; readonly why: string } | { readonly lasts: () => boolean }

function findEntry(
  { takeTicket, most = 256, ...seat }: WebSocketsOptions,
  { headers: { host, origin } }: IncomingMessage,
  { searchParams }: URL,
  open: number,
): Entry {
  const foreign = findForeign({ host, origin }, seat)
  if (foreign) return { code: codes.intruder, why: foreign.why }
  const lasts = takeTicket(searchParams.get('ticket') ?? '')
  if (!lasts) return { code: codes.noTicket, why: 'the ticket is not valid' }
  return open > most ? { code: codes.crowded, why: 'too many WebSockets are open' } : { lasts }
}

/** A client that has not answered one ping when the next is due is gone; `look` is told each time. */
async function keepAlive(
  socket: WebSocket,
  { clock, pingMs = 30_000 }: WebSocketsOptions,
  signal: AbortSignal,
  look: () => void,
): Promise<void> {
  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  while (await hasPassed(clock, pingMs, signal)) {
    if (!isAlive) return socket.terminate()
    look()
    isAlive = false
    socket.ping()
  }
}

async function hasPassed(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(ms, signal).then(
    () => true,
    () => false,
  )
}

const leaveMs = 1_000

/** Says why, and does not wait for long. */
async function leave(socket: WebSocket, clock: Clock): Promise<void> {
  const over = new AbortController()
  socket.once('close', () => over.abort())
  socket.close(codes.leaving, 'the dashboard stops')
  if (await hasPassed(clock, leaveMs, over.signal)) socket.terminate()
}
