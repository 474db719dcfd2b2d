import { WebSocket } from 'ws'
import type { Clock } from '../contract/context.ts'
import { fail } from '../contract/errors.ts'
import { isOverWithin } from '../contract/time-limit.ts'
import { describeError } from './receipts.ts'

export interface WebSocketOptions {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Named in errors. */
  readonly platform: string
  readonly clock: Clock
  /** Gives up while it opens, and ends it afterwards. */
  readonly signal: AbortSignal
  /** Sends a ping this often, in milliseconds, and ends the socket when nothing came since the one before; absent: never. */
  readonly pingMs?: number
  /** Largest frame that is taken, in bytes. */
  readonly maxBytes?: number
  /** Anything came, a pong included. */
  readonly onHear: () => void
  readonly onText: (text: string) => void
  /** Told once, when an open socket is over: the close code, or 1006 where the connection broke. */
  readonly onEnd: (code: number, reason: string) => void
}

/** A WebSocket of texts that is open. */
export interface TextSocket {
  send(text: string): void
  /** Stops and goes on reading. */
  pause(): void
  resume(): void
  /** Closes in order, and hard when the other side does not answer within two seconds. */
  close(code?: number): Promise<void>
}

const farewellMs = 2000

/** A WebSocket for text frames. Rejects with PLATFORM_AUTH for 401 and 403, else with PLATFORM_UNREACHABLE. */
export async function openWebSocket(options: WebSocketOptions): Promise<TextSocket> {
  const { url, headers = {}, platform, clock, signal, maxBytes = 16 << 20 } = options
  signal.throwIfAborted()
  const socket = new WebSocket(url, { headers, maxPayload: maxBytes, perMessageDeflate: false, followRedirects: false })
  const over = new AbortController()
  const terminate = (): void => socket.terminate()
  signal.addEventListener('abort', terminate, { once: true })
  socket.once('close', () => {
    signal.removeEventListener('abort', terminate)
    over.abort()
  })
  await new Promise<void>((resolve, reject) => {
    const refuse = (code: 'PLATFORM_AUTH' | 'PLATFORM_UNREACHABLE', detail: string): void => reject(fail(code, { platform, detail }))
    // At once: the other side may speak with its first packet.
    socket.once('open', () => {
      listen(socket, options)
      resolve()
    })
    socket.on('error', (error) => (signal.aborted ? reject(signal.reason) : refuse('PLATFORM_UNREACHABLE', describeError(error).detail)))
    socket.once('unexpected-response', (_, { statusCode = 0 }) => {
      refuse(statusCode === 401 || statusCode === 403 ? 'PLATFORM_AUTH' : 'PLATFORM_UNREACHABLE', `it answered ${statusCode}`)
      socket.terminate()
    })
  })
  if (options.pingMs !== undefined) void keepAlive(socket, options.pingMs, clock, over.signal)
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: async (code = 1000) => {
      if (socket.readyState === WebSocket.CLOSED) return
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
      socket.resume()
      socket.close(code)
      if (!(await isOverWithin({ clock, ms: farewellMs }, closed))) terminate()
    },
  }
}

function listen(socket: WebSocket, { onHear, onText, onEnd }: WebSocketOptions): void {
  socket.on('message', (data, isBinary) => {
    onHear()
    if (!isBinary) onText(String(data))
  })
  socket.on('ping', onHear)
  socket.on('pong', onHear)
  socket.once('close', (code, reason) => onEnd(code, reason.toString()))
}

/** A connection that was cut without a word answers no ping. */
async function keepAlive(socket: WebSocket, pingMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  let alive = true
  const noteAlive = (): void => {
    alive = true
  }
  socket.on('pong', noteAlive).on('message', noteAlive)
  while (!signal.aborted) {
    await clock.sleep(pingMs, signal).catch(() => undefined)
    if (signal.aborted) return
    if (!alive) return socket.terminate()
    alive = false
    socket.ping()
  }
}
