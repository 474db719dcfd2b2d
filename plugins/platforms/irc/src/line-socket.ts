import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

/** A connection that carries lines of text. */
export interface LineSocket {
  write(line: string): void
  pause(): void
  resume(): void
  /** Says a last line and waits a moment for the server to hang up. */
  close(last: string): Promise<void>
  destroy(): void
}

export interface LineSocketOptions {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** Ours, with its key; for TLS. */
  readonly certificate?: string | undefined
  readonly clock: Clock
  /** Gives up connecting. */
  readonly signal: AbortSignal
  readonly onLine: (line: string) => void
  /** May be called more than once. */
  readonly onEnd: (detail: string) => void
}

/** No server sends longer lines, message tags included. */
const longestLine = 8192
const hangUpMs = 1000

export async function openLineSocket(options: LineSocketOptions): Promise<LineSocket> {
  const { host, port, tls, certificate, clock, signal, onLine, onEnd } = options
  signal.throwIfAborted()
  const name = isIP(host) ? {} : { servername: host }
  const ours = certificate === undefined ? {} : { cert: certificate, key: certificate }
  const socket: Socket = tls ? connectTls({ host, port, ...name, ...ours }) : connectTcp({ host, port })
  try {
    await once(socket, tls ? 'secureConnect' : 'connect', { signal })
  } catch (error) {
    socket.on('error', () => undefined).destroy()
    const hint = tls && isPlain(error) ? '; a server without TLS on this port wants IRC_USE_TLS=false' : ''
    throw fail('PLATFORM_UNREACHABLE', { platform: 'IRC', detail: `${host}:${port}: ${describe(error)}${hint}` }, { cause: error })
  }
  socket.setNoDelay()
  socket.on('error', (error) => onEnd(describe(error)))
  socket.on('close', () => onEnd('the server hung up'))
  socket.on('data', createLineReader(onLine))
  return {
    write: (line) => void socket.write(`${line}\r\n`),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
    close: async (last) => {
      if (socket.destroyed) return
      const closed = new AbortController()
      socket.once('close', () => closed.abort())
      socket.resume().end(`${last}\r\n`)
      await clock.sleep(hangUpMs, closed.signal).catch(() => undefined)
      socket.destroy()
    },
  }
}

/** Whether the other side may speak without TLS: it hung up at the greeting, or answered it with words. */
function isPlain(error: unknown): boolean {
  const { message = '', code = '' } = error as { message?: string; code?: string }
  return code === 'ECONNRESET' || code === 'EPROTO' || /wrong version number|before secure TLS/i.test(message)
}

/** Where every address of a host refuses, only the code says so. */
function describe(error: unknown): string {
  const { message = '', code = 'it failed' } = error as { message?: string; code?: string }
  return message || code
}

/** Cuts what arrives into lines; one that is too long is dropped whole. */
export function createLineReader(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let dropping = false
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([rest, chunk.subarray(start, end)])
      if (!dropping && line.length <= longestLine) onLine(decode(line))
      rest = Buffer.alloc(0)
      dropping = false
      start = end + 1
    }
    if (!dropping) rest = Buffer.concat([rest, chunk.subarray(start)])
    if (rest.length <= longestLine) return
    rest = Buffer.alloc(0)
    dropping = true
  }
}

/** Old clients still write Latin-1. */
function decode(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').replace(/\r$/, '')
}
