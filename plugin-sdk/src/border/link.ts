import type { Duplex } from 'node:stream'
import { fail } from '../contract/errors.ts'
import { findJsonExcess } from '../contract/json-excess.ts'
import type { WireError } from '../contract/wire.ts'
import type { Payload } from './codec.ts'
import { maxBytes, maxFrameBytes } from './frame-limits.ts'

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

export interface BorderLink {
  send(message: Message): void
  /** Called once, before anything arrives. */
  start(onMessage: (message: Message) => void, onClose: (error?: Error) => void): void
  /** Sends at once what else would wait for the end of this turn of the event loop. */
  flush?(): void
  close(): void
}

/** Two ends in one process. Payloads are copies already; messages arrive in order, never in the same call. */
export function linkPair(): readonly [BorderLink, BorderLink] {
  const receivers: [Receiver?, Receiver?] = []
  const end = (mine: 0 | 1): BorderLink => ({
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

/** Frames over a pipe: 4 bytes of length, then JSON; the byte arrays of a message follow it as separate frames. */
export function pipeLink(pipe: Duplex): BorderLink {
  const writer = new FrameWriter(pipe)
  return {
    send: (message) => writer.send(message),
    flush: () => writer.flush(),
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
    close: () => {
      writer.flush()
      pipe.destroy()
    },
  }
}

/** Some levels more than values may have: a frame puts lists around them. */
const frameLimits = { deepest: 120, mostValues: Number.POSITIVE_INFINITY }

const gatherBytes = 65_536

/** Writes the frames of one turn of the event loop together: waking the other process costs more than all that is done for a small message. */
class FrameWriter {
  private frames: Buffer[] = []
  private size = 0
  private readonly pipe: Duplex

  constructor(pipe: Duplex) {
    this.pipe = pipe
  }

  send(message: Message): void {
    const bytes = 'p' in message ? message.p.b : undefined
    const text = JSON.stringify(
      bytes && bytes.length > 0 && 'p' in message ? { ...message, p: { ...message.p, b: bytes.length } } : message,
    )
    // No text takes more than three bytes for each of its units; most take one.
    const frame =
      text.length > maxFrameBytes ? undefined : Buffer.allocUnsafe(4 + (text.length < 1024 ? text.length * 3 : Buffer.byteLength(text)))
    const length = frame ? frame.write(text, 4) : text.length
    if (!frame || length > maxFrameBytes || (bytes && areTooLarge(bytes))) {
      throw fail('BORDER_VALUE', { path: 'to' in message ? message.to : message.t, problem: `it is larger than ${maxFrameBytes} bytes` })
    }
    frame.writeUInt32BE(length)
    this.add(frame.subarray(0, 4 + length))
    for (const part of bytes ?? []) this.add(formatBytes(part))
  }

  flush(): void {
    const { frames } = this
    this.frames = []
    this.size = 0
    const [first] = frames
    if (first === undefined || this.pipe.destroyed || this.pipe.writableEnded) return
    this.pipe.write(frames.length === 1 ? first : Buffer.concat(frames))
  }

  private add(frame: Buffer): void {
    if (this.frames.length === 0) process.nextTick(() => this.flush())
    this.frames.push(frame)
    this.size += frame.length
    if (this.size > gatherBytes) this.flush()
  }
}

function areTooLarge(bytes: readonly Uint8Array[]): boolean {
  return bytes.some((part) => part.length > maxFrameBytes) || bytes.reduce((sum, part) => sum + part.length, 0) > maxBytes
}

function formatBytes(body: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(4 + body.length)
  frame.writeUInt32BE((bytesBit | body.length) >>> 0)
  frame.set(body, 4)
  return frame
}

class FrameReader {
  private chunks: Buffer[] = []
  private have = 0
  private waiting: { message: Message; left: number; size: number; bytes: Uint8Array[] } | undefined
  private readonly onMessage: (message: Message) => void

  constructor(onMessage: (message: Message) => void) {
    this.onMessage = onMessage
  }

  read(chunk: Buffer): void {
    this.chunks.push(chunk)
    this.have += chunk.length
    let need = this.frameLength()
    if (need === undefined || this.have < need) return
    // Looking for the length may have joined the pieces already.
    const [first = chunk, ...more] = this.chunks
    let buffer = more.length === 0 ? first : Buffer.concat(this.chunks)
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
      this.waiting.size += body.length
      if (this.waiting.size > maxBytes) throw fail('BORDER_VALUE', { path: 'frame', problem: `its bytes are more than ${maxBytes}` })
      this.waiting.left -= 1
      if (this.waiting.left === 0) this.finish(this.waiting)
      return
    }
    const text = body.toString()
    const excess = findJsonExcess(text, frameLimits)
    if (excess !== undefined) throw fail('BORDER_VALUE', { path: 'frame', problem: excess })
    const message = JSON.parse(text) as Message
    const left = 'p' in message ? ((message.p.b as unknown as number | undefined) ?? 0) : 0
    if (left > 0) this.waiting = { message, left, size: 0, bytes: [] }
    else this.onMessage(message)
  }

  private finish({ message, bytes }: { message: Message; bytes: Uint8Array[] }): void {
    this.waiting = undefined
    this.onMessage('p' in message ? { ...message, p: { ...message.p, b: bytes } } : message)
  }
}
