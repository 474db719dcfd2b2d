import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { encodeEvent, encodeException, encodeFrame } from '../../../../../test/support/fakes/fake-bedrock-frames.ts'
import { type Frame, openFrameFeed } from './frames.ts'

const stream = Buffer.concat([
  encodeEvent('contentBlockDelta', { delta: { text: 'Grüße aus 東京' } }),
  encodeEvent('empty', {}),
  encodeException('throttlingException', 'slow down'),
])

function read(pieces: readonly Uint8Array[]): readonly Frame[] {
  const frames: Frame[] = []
  const feed = openFrameFeed((frame) => frames.push(frame))
  for (const piece of pieces) feed.push(piece)
  feed.end()
  return frames
}

const whole = read([stream])

test('frames are the same wherever the network cuts them', () => {
  expect(whole.map(({ headers, payload }) => [headers[':event-type'] ?? headers[':exception-type'], JSON.parse(payload)])).toEqual([
    ['contentBlockDelta', { delta: { text: 'Grüße aus 東京' } }],
    ['empty', {}],
    ['throttlingException', { message: 'slow down' }],
  ])
  for (let size = 1; size < stream.length; size += 1) {
    const count = Math.ceil(stream.length / size)
    expect(read(Array.from({ length: count }, (_, at) => stream.subarray(at * size, (at + 1) * size)))).toEqual(whole)
  }
})

test('a piece whose memory is used again leaves no trace in what was kept of it', () => {
  const frames: Frame[] = []
  const feed = openFrameFeed((frame) => frames.push(frame))
  const memory = Buffer.from(stream.subarray(0, 40))
  feed.push(memory)
  memory.fill(0)
  feed.push(stream.subarray(40))
  expect(frames).toEqual(whole)
})

test('a frame with one other byte is broken, wherever that byte is', () => {
  const frame = encodeEvent('a', { text: 'b' })
  for (let at = 0; at < frame.length; at += 1) {
    const changed = Buffer.from(frame)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => read([changed]), `byte ${at}`).toThrow('a frame of the answer is broken')
  }
})

test('an end inside of a frame is told', () => {
  expect(() => read([stream.subarray(0, -1)])).toThrow('the answer stopped in the middle')
})

test.each([
  [20_000_000, 0],
  [100, 90],
  [400_000, 200_000],
])('a frame that says it has %i bytes, %i of them headers, is not waited for', (length, headers) => {
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(length, 0)
  prelude.writeUInt32BE(headers, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  expect(() => openFrameFeed(() => undefined).push(prelude)).toThrow('longer than it may be')
})

test('headers of every type are passed over, and broken ones are told', () => {
  const frame = (bytes: readonly number[]): Buffer => {
    const made = Buffer.alloc(16 + bytes.length)
    made.writeUInt32BE(made.length, 0)
    made.writeUInt32BE(bytes.length, 4)
    made.writeUInt32BE(crc32(made.subarray(0, 8)), 8)
    Buffer.from(bytes).copy(made, 12)
    made.writeUInt32BE(crc32(made.subarray(0, -4)), made.length - 4)
    return made
  }
  const sizes = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16]
  const plain = sizes.flatMap((size, type) => (size === undefined ? [1, 97, type, 0, 1, 98] : [1, 97, type, ...Array(size).fill(0)]))
  expect(read([frame(plain)])).toEqual([{ headers: { a: 'b' }, payload: '' }])
  expect(() => read([frame([1, 97, 10, 0])])).toThrow('broken')
  expect(() => read([frame([1, 97, 7, 0, 9, 98])])).toThrow('broken')
  expect(encodeFrame({ a: 'b' }, {}).length).toBeGreaterThan(16)
})
