import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Target } from './target.ts'

export interface Sent {
  readonly port: number
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Leaves when nothing has come for so long. */
  readonly withinMs?: number
}

/** Sends a whole request and drops its answer; resolves with the status, or with how the connection ended. */
export function send({ port, path, method = 'POST', headers = {}, body = '', withinMs = 20_000 }: Sent): Promise<string> {
  return new Promise((resolve) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const length = { 'content-length': String(bytes.length) }
    const asked = request({ port, path, method, headers: { ...length, ...headers }, agent: false }, (response) => {
      resolve(String(response.statusCode))
      response.on('error', () => undefined).resume()
    })
    asked.setTimeout(withinMs, () => {
      resolve('no answer')
      asked.destroy()
    })
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    asked.end(bytes)
  })
}

const asJson = { 'content-type': 'application/json' }

/** A request of somebody who has the key. */
export function ask({ api, key }: Target, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return send({
    port: api,
    path,
    headers: { ...asJson, authorization: `Bearer ${key}`, ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  })
}

export const chat = (target: Target, content: unknown, more: object = {}): Promise<string> =>
  ask(target, '/v1/chat/completions', { messages: [{ role: 'user', content }], ...more })

/** Writes bytes as they are; resolves with the first line of what comes back, or with how it ended. */
export function exchange(port: number, bytes: string | Uint8Array, withinMs = 5_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (what: string): void => {
      resolve(what)
      socket.destroy()
    }
    socket.once('data', (data) => end(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1] ?? 'other bytes'))
    socket.once('close', () => end('closed'))
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'error'))
    socket.setTimeout(withinMs, () => end('no answer'))
    socket.write(bytes)
  })
}

/** Opens a connection that asks and then reads nothing. */
export function askWithoutReading({ api, key }: Target, body: object): Socket {
  const text = JSON.stringify(body)
  const socket = connect(api, '127.0.0.1').pause()
  socket.on('error', () => undefined)
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return socket
}

/** Runs a thing many times, some of them at once. */
export async function many(times: number, atOnce: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < times) await run(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
