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
  /** A short plain text is handed to the pipe as it is, one byte for each character: that costs less than a buffer. */
  private frames: (Buffer | string)[] = []
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
    const frame = formatText(text)
    if (!frame || (bytes && areTooLarge(bytes))) {
      throw fail('BORDER_VALUE', { path: 'to' in message ? message.to : message.t, problem: `it is larger than ${maxFrameBytes} bytes` })
    }
    this.add(frame)
    for (const part of bytes ?? []) this.add(formatBytes(part))
  }

  flush(): void {
    const { frames } = this
    this.frames = []
    this.size = 0
    const [first] = frames
    if (first === undefined || this.pipe.destroyed || this.pipe.writableEnded) return
    this.pipe.write(frames.length === 1 ? first : Buffer.concat(frames.map(toBuffer)), 'latin1')
  }

  private add(frame: Buffer | string): void {
    if (this.frames.length === 0) process.nextTick(() => this.flush())
    this.frames.push(frame)
    this.size += frame.length
    if (this.size > gatherBytes) this.flush()
  }
}

/** Undefined where it is too long. */
function formatText(text: string): Buffer | string | undefined {
  const units = text.length
  if (units < 1024 && !/[^ -~]/.test(text)) return String.fromCharCode(0, 0, units >>> 8, units & 0xff) + text
  if (units > maxFrameBytes) return undefined
  // No text takes more than three bytes for each of its units; most take one.
  const frame = Buffer.allocUnsafe(4 + (units < 1024 ? units * 3 : Buffer.byteLength(text)))
  const length = frame.write(text, 4)
  if (length > maxFrameBytes) return undefined
  frame.writeUInt32BE(length)
  return frame.subarray(0, 4 + length)
}

function toBuffer(frame: Buffer | string): Buffer {
  return typeof frame === 'string' ? Buffer.from(frame, 'latin1') : frame
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
  /** Of a frame that has not arrived as a whole. */
  private chunks: Buffer[] = []
  private have = 0
  /** How long that frame is, with its head; while the head is not there, how long the head is. */
  private need = 4
  private waiting: { message: Message; left: number; size: number; bytes: Uint8Array[] } | undefined
  private readonly onMessage: (message: Message) => void

  constructor(onMessage: (message: Message) => void) {
    this.onMessage = onMessage
  }

  read(chunk: Buffer): void {
    const buffer = this.have === 0 ? chunk : this.join(chunk)
    if (!buffer) return
    let at = 0
    let end = endOfFrame(buffer, at)
    while (end <= buffer.length) {
      this.accept(buffer, at, end)
      at = end
      end = endOfFrame(buffer, at)
    }
    this.have = buffer.length - at
    this.chunks = this.have === 0 ? [] : [buffer.subarray(at)]
    this.need = end - at
  }

  /** What has come of a frame by now, in one piece, as soon as it may be a whole one. */
  private join(chunk: Buffer): Buffer | undefined {
    this.chunks.push(chunk)
    this.have += chunk.length
    return this.have < this.need ? undefined : Buffer.concat(this.chunks, this.have)
  }

  private accept(buffer: Buffer, at: number, end: number): void {
    if (buffer.readUInt32BE(at) >= bytesBit) {
      this.acceptBytes(buffer.subarray(at + 4, end))
      return
    }
    const text = buffer.toString('utf8', at + 4, end)
    const excess = findJsonExcess(text, frameLimits)
    if (excess !== undefined) throw fail('BORDER_VALUE', { path: 'frame', problem: excess })
    const message = JSON.parse(text) as Message
    const left = 'p' in message ? ((message.p.b as unknown as number | undefined) ?? 0) : 0
    if (left > 0) this.waiting = { message, left, size: 0, bytes: [] }
    else this.onMessage(message)
  }

  private acceptBytes(body: Buffer): void {
    if (!this.waiting) throw fail('BORDER_VALUE', { path: 'frame', problem: 'bytes came without a message' })
    this.waiting.bytes.push(new Uint8Array(body))
    this.waiting.size += body.length
    if (this.waiting.size > maxBytes) throw fail('BORDER_VALUE', { path: 'frame', problem: `its bytes are more than ${maxBytes}` })
    this.waiting.left -= 1
    if (this.waiting.left === 0) this.finish(this.waiting)
  }

  private finish({ message, bytes }: { message: Message; bytes: Uint8Array[] }): void {
    this.waiting = undefined
    this.onMessage('p' in message ? { ...message, p: { ...message.p, b: bytes } } : message)
  }
}

/** Where the frame that begins at `at` ends; behind the end of the buffer where that is not known. */
function endOfFrame(buffer: Buffer, at: number): number {
  if (buffer.length - at < 4) return at + 4
  const length = buffer.readUInt32BE(at) & ~bytesBit
  if (length > maxFrameBytes) throw fail('BORDER_VALUE', { path: 'frame', problem: `it is larger than ${maxFrameBytes} bytes` })
  return at + 4 + length
}
