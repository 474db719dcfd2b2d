import type { Duplex } from 'node:stream'
import { fail } from '../errors.ts'
import type { WireError } from '../wire.ts'
import type { Payload } from './codec.ts'

/** What two peers say to each other. `to` names what is served over there, `id` the call or stream. */
export type Message =
  | {
      readonly t: 'call' | 'open'
      readonly id: number
      readonly to: string
      readonly p: Payload
      readonly n?: string
      readonly ms?: number
    }
  | { readonly t: 'note'; readonly to: string; readonly p: Payload }
  | { readonly t: 'ok'; readonly id: number; readonly p: Payload }
  | { readonly t: 'fail'; readonly id: number; readonly e: WireError }
  | { readonly t: 'items'; readonly id: number; readonly p: Payload }
  | { readonly t: 'end'; readonly id: number; readonly e?: WireError }
  | { readonly t: 'more'; readonly id: number; readonly n: number }
  | { readonly t: 'stop'; readonly id: number }

/** `n` is the caller's name for the call, `ms` what remains of its time. */
export interface Asked {
  readonly t: 'call' | 'open'
  readonly id: number
  readonly to: string
  readonly p: Payload
  readonly n?: string
  readonly ms?: number
}

export interface Link {
  send(message: Message): void
  /** Called once, before anything arrives. */
  start(onMessage: (message: Message) => void, onClose: (error?: Error) => void): void
  close(): void
}

/** Two ends in one process. Payloads are copies already; messages arrive in order, never in the same call. */
export function linkPair(): readonly [Link, Link] {
  const receivers: [Receiver?, Receiver?] = []
  const end = (mine: 0 | 1): Link => ({
    send: (message) => queueMicrotask(() => receivers[mine === 0 ? 1 : 0]?.onMessage(message)),
    start: (onMessage, onClose) => {
      receivers[mine] = { onMessage, onClose }
    },
    close: () => {
      const both = receivers.splice(0, 2)
      for (const receiver of both) receiver?.onClose()
    },
  })
  return [end(0), end(1)]
}

interface Receiver {
  onMessage(message: Message): void
  onClose(error?: Error): void
}

const bytesBit = 0x8000_0000
export const maxFrameBytes = 4 * 1024 * 1024

/** Frames over a pipe: 4 bytes of length, then JSON; the byte arrays of a message follow it as frames of their own. */
export function pipeLink(pipe: Duplex): Link {
  return {
    send: (message) => sendFrames(pipe, message),
    start: (onMessage, onClose) => {
      const reader = new FrameReader(onMessage)
      pipe.on('data', (chunk: Buffer) => {
        try {
          reader.read(chunk)
        } catch (error) {
          pipe.destroy(error as Error)
        }
      })
      let failure: Error | undefined
      pipe.on('error', (error) => {
        failure = error
      })
      pipe.on('close', () => onClose(failure))
    },
    close: () => pipe.destroy(),
  }
}

function sendFrames(pipe: Duplex, message: Message): void {
  const bytes = 'p' in message ? (message.p.b ?? []) : []
  const json = 'p' in message && bytes.length > 0 ? { ...message, p: { ...message.p, b: bytes.length } } : message
  const text = JSON.stringify(json)
  const length = Buffer.byteLength(text)
  if (length > maxFrameBytes || bytes.some((part) => part.length > maxFrameBytes)) {
    throw fail('BORDER_VALUE', { path: 'to' in message ? message.to : message.t, problem: `it is larger than ${maxFrameBytes} bytes` })
  }
  if (pipe.destroyed) return
  const frame = Buffer.allocUnsafe(4 + length)
  frame.writeUInt32BE(length)
  frame.write(text, 4)
  pipe.write(frame)
  for (const part of bytes) writeBytes(pipe, part)
}

function writeBytes(pipe: Duplex, body: Uint8Array): void {
  const frame = Buffer.allocUnsafe(4 + body.length)
  frame.writeUInt32BE((bytesBit | body.length) >>> 0)
  frame.set(body, 4)
  pipe.write(frame)
}

class FrameReader {
  private chunks: Buffer[] = []
  private have = 0
  private waiting: { message: Message; left: number; bytes: Uint8Array[] } | undefined
  private readonly onMessage: (message: Message) => void

  constructor(onMessage: (message: Message) => void) {
    this.onMessage = onMessage
  }

  read(chunk: Buffer): void {
    this.chunks.push(chunk)
    this.have += chunk.length
    let need = this.frameLength()
    if (need === undefined || this.have < need) return
    let buffer = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks)
    while (need !== undefined && buffer.length >= need) {
      this.accept(buffer.readUInt32BE(0), buffer.subarray(4, need))
      buffer = buffer.subarray(need)
      this.chunks = [buffer]
      need = this.frameLength()
    }
    this.have = buffer.length
  }

  /** With its head; undefined while the head has not arrived. */
  private frameLength(): number | undefined {
    if ((this.chunks[0]?.length ?? 0) < 4) {
      if (this.chunks.length < 2) return undefined
      this.chunks = [Buffer.concat(this.chunks)]
    }
    const first = this.chunks[0]
    if (!first || first.length < 4) return undefined
    const length = first.readUInt32BE(0) & ~bytesBit
    if (length > maxFrameBytes) throw fail('BORDER_VALUE', { path: 'frame', problem: `it is larger than ${maxFrameBytes} bytes` })
    return 4 + length
  }

  private accept(head: number, body: Buffer): void {
    if (head >= bytesBit) {
      if (!this.waiting) throw fail('BORDER_VALUE', { path: 'frame', problem: 'bytes came without a message' })
      this.waiting.bytes.push(new Uint8Array(body))
      this.waiting.left -= 1
      if (this.waiting.left === 0) this.finish(this.waiting)
      return
    }
    const message = JSON.parse(body.toString()) as Message
    const left = 'p' in message ? ((message.p.b as unknown as number | undefined) ?? 0) : 0
    if (left > 0) this.waiting = { message, left, bytes: [] }
    else this.onMessage(message)
  }

  private finish({ message, bytes }: { message: Message; bytes: Uint8Array[] }): void {
    this.waiting = undefined
    this.onMessage('p' in message ? { ...message, p: { ...message.p, b: bytes } } : message)
  }
}
