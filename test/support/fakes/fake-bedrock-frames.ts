import { crc32 } from 'node:zlib'

/** One message of the vendor's binary event stream. */
export function encodeFrame(headers: Readonly<Record<string, string>>, payload: object): Uint8Array {
  const named = Buffer.concat(
    Object.entries({ ...headers, ':content-type': 'application/json' }).map(([name, value]) => {
      const head = Buffer.from([name.length, ...Buffer.from(name), 7, value.length >> 8, value.length & 255])
      return Buffer.concat([head, Buffer.from(value)])
    }),
  )
  const body = Buffer.from(JSON.stringify(payload))
  const frame = Buffer.alloc(16 + named.length + body.length)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(named.length, 4)
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8)
  named.copy(frame, 12)
  body.copy(frame, 12 + named.length)
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4)
  return frame
}

export const encodeEvent = (type: string, payload: object): Uint8Array =>
  encodeFrame({ ':message-type': 'event', ':event-type': type }, payload)

export const encodeException = (type: string, message: unknown): Uint8Array =>
  encodeFrame({ ':message-type': 'exception', ':exception-type': type }, { message })
