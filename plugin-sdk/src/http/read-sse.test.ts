import { expect, test } from 'vitest'
import { readSse, type SseEvent } from './read-sse.ts'

async function* pieces(text: string, size: number): AsyncIterable<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all(events: AsyncIterable<SseEvent>): Promise<SseEvent[]> {
  const list: SseEvent[] = []
  for await (const event of events) list.push(event)
  return list
}

const stream = ': hello\r\n\r\nevent: delta\ndata: {"a":"ü"}\nid: 1\n\ndata: one\ndata: two\n\ndata: [DONE]\n\n'
const expected = [{ event: 'delta', id: '1', data: '{"a":"ü"}' }, { data: 'one\ntwo' }, { data: '[DONE]' }]

test('gives the same events wherever the bytes are cut', async () => {
  for (let size = 1; size <= stream.length + 2; size += 1) expect(await all(readSse(pieces(stream, size)))).toEqual(expected)
})

test('an event that was cut off is not given, and an endless one is an error', async () => {
  expect(await all(readSse(pieces('data: one\n\ndata: tw', 3)))).toEqual([{ data: 'one' }])
  await expect(all(readSse(pieces(`data: ${'x'.repeat(4000)}`, 500), { maxBytes: 1000 }))).rejects.toThrow(/buffer/i)
})

test('the source is closed when the reader stops early', async () => {
  let closed = false
  async function* source(): AsyncIterable<Uint8Array> {
    try {
      for (;;) yield new TextEncoder().encode('data: x\n\n')
    } finally {
      closed = true
    }
  }
  for await (const event of readSse(source())) {
    expect(event).toEqual({ data: 'x' })
    break
  }
  expect(closed).toBe(true)
})
