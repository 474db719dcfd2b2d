import { crc32 } from 'node:zlib'
import type { Feed } from '../protocol.ts'

/** One message of the vendor's binary event stream. */
export interface Frame {
  /** Headers that are texts, by name: `:message-type`, `:event-type`, `:exception-type`. */
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string
}

/** The vendor's own limits: 128 KB of headers, 16 MB of payload. */
const longestHeaders = 131_072
const longestFrame = 16_777_216 + longestHeaders + 16
const preludeBytes = 12
const checkBytes = 4

/** Cuts bytes into frames, wherever the network cut them. Throws on a frame that is broken or too long, and at an end inside of one. */
export function openFrameFeed(onFrame: (frame: Frame) => void): Feed {
  let rest = Buffer.alloc(0)
  return {
    push(bytes) {
      const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const all = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      let at = 0
      for (let length = lengthAt(all, at); length !== undefined; length = lengthAt(all, at)) {
        if (all.length - at < length) break
        onFrame(readFrame(all.subarray(at, at + length)))
        at += length
      }
      // What is kept must not keep the whole piece, nor change when its memory is used again.
      rest = Buffer.from(all.subarray(at))
    },
    end() {
      if (rest.length > 0) throw new Error('the answer stopped in the middle')
    },
  }
}

/** The length that a frame says of itself; undefined while it is not there yet. */
function lengthAt(bytes: Buffer, at: number): number | undefined {
  if (bytes.length - at < preludeBytes) return undefined
  const length = bytes.readUInt32BE(at)
  const headers = bytes.readUInt32BE(at + 4)
  if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) throw new Error('a frame of the answer is broken')
  if (length > longestFrame || headers > longestHeaders || headers + preludeBytes + checkBytes > length) {
    throw new Error('a frame of the answer is longer than it may be')
  }
  return length
}

function readFrame(frame: Buffer): Frame {
  const end = frame.length - checkBytes
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw new Error('a frame of the answer is broken')
  const body = preludeBytes + frame.readUInt32BE(4)
  return { headers: readHeaders(frame.subarray(preludeBytes, body)), payload: frame.toString('utf8', body, end) }
}

/** Bytes of a value by its type; 6 and 7 say their own length. */
const sizes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let at = 0; at < bytes.length; ) {
    const named = at + 1 + bytes.readUInt8(at)
    const name = bytes.toString('utf8', at + 1, named)
    const type = bytes.readUInt8(named)
    const isText = type === 6 || type === 7
    const begin = named + 1 + (isText ? 2 : 0)
    const size = isText ? bytes.readUInt16BE(named + 1) : sizes[type]
    if (size === undefined || begin + size > bytes.length) throw new Error('a frame of the answer is broken')
    if (type === 7) headers[name] = bytes.toString('utf8', begin, begin + size)
    at = begin + size
  }
  return headers
}
