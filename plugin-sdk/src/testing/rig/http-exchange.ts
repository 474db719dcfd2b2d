import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { HttpHead, HttpReply, HttpRequest } from '../../contract/context.ts'
import { fail } from '../../contract/errors.ts'

export interface TestListener {
  readonly url: string
  readonly port: number
  /** Breaks every connection. */
  cut(): void
  close(): Promise<void>
}

export interface TestListenerOptions {
  readonly host?: string
  readonly port?: number
  readonly upgrade?: (request: IncomingMessage, stream: Duplex, head: Buffer) => void
}

/** A plain HTTP server on loopback; connections that still run are cut when it closes. */
export async function openTestListener(
  { host = '127.0.0.1', port = 0, upgrade }: TestListenerOptions,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<TestListener> {
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy())
  })
  if (upgrade) server.on('upgrade', upgrade)
  await new Promise<void>((resolve, reject) => {
    server.once('error', () => reject(fail('PORT_IN_USE', { host, port, setting: 'another port' })))
    server.listen(port, host, resolve)
  })
  const taken = (server.address() as AddressInfo).port
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { port: taken, url: `http://${host}:${taken}`, cut: () => server.closeAllConnections(), close }
}

export async function readRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return { ...readHead(incoming), body: new Uint8Array(Buffer.concat(chunks)) }
}

export function readHead(incoming: IncomingMessage): HttpHead {
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))
  const { method = 'GET', url = '/', socket } = incoming
  return { method, url, headers, remote: socket.remoteAddress ?? '' }
}

/** Writes the reply; the connection breaks after `cutAfter` bytes of the body. */
export async function writeReply(response: ServerResponse, reply: HttpReply, cutAfter = Number.POSITIVE_INFINITY): Promise<void> {
  const { status, headers = {}, body = '' } = reply
  response.writeHead(status, headers)
  let left = cutAfter
  const pieces = typeof body === 'string' || body instanceof Uint8Array ? [body] : body
  for await (const piece of pieces) {
    if (response.destroyed) return
    const bytes = Buffer.from(piece as Uint8Array)
    const part = bytes.subarray(0, left)
    left -= part.length
    await new Promise<void>((resolve) => response.write(part, () => resolve()))
    if (part.length < bytes.length || left === 0) return void response.destroy()
  }
  response.end()
}
