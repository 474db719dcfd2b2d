import { expect, test } from 'vitest'
import { createBodyMemory } from './body-memory.ts'

const memory = createBodyMemory()
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

test('a body of one piece is that piece, one of several is a plain copy of them in their order', () => {
  const alone = memory.gather(100)
  const piece = bytes('alone')
  alone.add(piece)
  expect(alone.take()).toBe(piece)
  expect(piece).toHaveLength(5)
  const several = memory.gather(100)
  for (const each of ['one ', 'two ', 'three']) several.add(bytes(each))
  expect(several.bytes).toBe(13)
  const whole = several.take()
  expect(String(Buffer.from(whole))).toBe('one two three')
  // A program that is given it may refuse a buffer that can change its size.
  expect((whole.buffer as { resizable?: boolean }).resizable).toBe(false)
  expect(memory.gather(100).take()).toHaveLength(0)
})

test('the memory of pieces is given back when they are copied, and that of a dropped body at once', () => {
  const pieces = [bytes('a'), bytes('b'), bytes('c')]
  const gathering = memory.gather(100)
  for (const piece of pieces) gathering.add(piece)
  expect(pieces.map(({ length }) => length)).toEqual([0, 0, 0])
  const [only] = [bytes('x')]
  const dropped = memory.gather(100)
  dropped.add(only)
  dropped.drop()
  expect(only).toHaveLength(0)
})

test('what shares its memory with others stays', () => {
  const shared = new Uint8Array([1, 2, 3, 4])
  const part = shared.subarray(1, 3)
  memory.release(part)
  memory.release(new Uint8Array(0))
  expect([...part, shared.length]).toEqual([2, 3, 4])
  const gathering = memory.gather(100)
  gathering.add(shared.subarray(0, 1))
  gathering.add(part)
  expect([...gathering.take(), shared.length]).toEqual([1, 2, 3, 4])
})

test('bytes that are given back do not wait to be collected', () => {
  const before = process.memoryUsage().arrayBuffers
  for (let piece = 0; piece < 2_000; piece++) memory.release(Buffer.allocUnsafeSlow(65_536))
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000)
})
