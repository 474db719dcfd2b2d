import { expect, test } from 'vitest'
import { isTopic, parseEvent, parseProblem, readLines } from './wire.ts'

async function* pieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all(body: AsyncIterable<Uint8Array>): Promise<string[]> {
  const lines: string[] = []
  for await (const line of readLines(body)) lines.push(line)
  return lines
}

test('the lines are the same wherever the bytes are cut', async () => {
  const bytes = new TextEncoder().encode('{"message":"größer"}\n\n😀\ncut of')
  for (let size = 1; size <= bytes.length; size += 1) expect(await all(pieces(bytes, size))).toEqual(['{"message":"größer"}', '', '😀'])
})

test('a line without an end is an error', async () => {
  await expect(all(pieces(new Uint8Array(2 << 20).fill(120), 1 << 16))).rejects.toThrow('no end')
})

test('of an event the fields are taken that are read', () => {
  const line = '{"id":"a","time":1,"expires":9,"event":"message","topic":"t","message":"hi","tags":["x"],"priority":5,"icon":"i"}'
  expect(parseEvent(line)).toEqual({ id: 'a', time: 1, event: 'message', message: 'hi', tags: ['x'] })
})

test.each(['', 'null', '<html>', '{"id":"a"}', '{"id":"","time":1,"event":"open"}', '{"id":"a","time":"1","event":"open"}', '[]'])(
  '%j is no event',
  (line) => {
    expect(parseEvent(line)).toBeUndefined()
  },
)

test('the sentence of a refusal is read', () => {
  expect(parseProblem('{"code":40301,"http":403,"error":"forbidden"}')).toBe('forbidden')
  expect(parseProblem('<h1>Bad Gateway</h1>')).toBeUndefined()
})

test.each([
  ['a-Topic_9', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['a,b', false],
  ['../v1', false],
  ['a b', false],
  ['ä', false],
  ['a\n', false],
])('%j can be a topic: %s', (name, can) => {
  expect(isTopic(name)).toBe(can)
})
