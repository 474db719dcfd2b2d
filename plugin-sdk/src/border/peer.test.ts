import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { fail } from '../contract/errors.ts'
import type { Call } from '../contract/wire.ts'
import { createCodec } from './codec.ts'
import { maxFrameBytes } from './frame-limits.ts'
import { type BorderLink, linkPair, pipeLink } from './link.ts'
import { openPeer, type Peer } from './peer.ts'
import type { Served } from './served.ts'

/** Two ends of a pipe that hand over in pieces of `size` bytes. */
function pipePair(size: number): readonly [BorderLink, BorderLink] {
  const ends: Duplex[] = []
  for (const other of [1, 0]) {
    ends.push(
      new Duplex({
        read: () => undefined,
        write: (chunk: Buffer, _encoding, done) => {
          for (let at = 0; at < chunk.length; at += size) ends[other]?.push(Buffer.from(chunk.subarray(at, at + size)))
          done()
        },
        destroy: (error, done) => {
          if (!ends[other]?.destroyed) ends[other]?.destroy()
          done(error)
        },
      }),
    )
  }
  return [pipeLink(ends[0] as Duplex), pipeLink(ends[1] as Duplex)]
}

const nothing: Served = {
  call: async () => undefined,
  note: () => undefined,
  stream: async function* () {},
}

function openPair(served: Partial<Served>, links: readonly [BorderLink, BorderLink]): { asking: Peer; serving: Peer } {
  const serving = openPeer({ link: links[1], codec: createCodec(), served: { ...nothing, ...served } })
  return { serving, asking: openPeer({ link: links[0], codec: createCodec(), served: nothing }) }
}

const call = (signal = new AbortController().signal): Call => ({ id: 'c1', signal, deadline: 500 })
const settled = async (serving: Peer): Promise<void> => {
  while (serving.busy() > 0) await new Promise((resolve) => setImmediate(resolve))
}

const kinds: [string, () => readonly [BorderLink, BorderLink]][] = [
  ['in one process', linkPair],
  ['over a pipe, byte by byte', () => pipePair(1)],
  ['over a pipe in pieces', () => pipePair(1000)],
]

test.each(kinds)('calls, answers and notes %s', async (_name, links) => {
  const notes: unknown[] = []
  const { asking } = openPair(
    {
      call: async (to, args, { id, deadline }) => ({ to, args, id, deadline }),
      note: (to, args) => notes.push([to, ...args]),
    },
    links(),
  )
  asking.note('n', [1])
  expect(await asking.call('a/b', [{ bytes: new Uint8Array([7, 8]), none: new Uint8Array(0) }, 'ü'], call())).toEqual({
    to: 'a/b',
    args: [{ bytes: new Uint8Array([7, 8]), none: new Uint8Array(0) }, 'ü'],
    id: 'c1',
    deadline: 500,
  })
  expect(notes).toEqual([['n', 1]])
})

test.each(kinds)('errors keep code, parameters and the time to wait %s', async (_name, links) => {
  const { asking } = openPair(
    {
      call: async (to) => {
        throw to === 'plain' ? new Error('no') : fail('MODEL_RATE_LIMIT', { provider: 'x', detail: 'y' }, { retryAfterMs: 7 })
      },
    },
    links(),
  )
  await expect(asking.call('coded', [])).rejects.toMatchObject({ code: 'MODEL_RATE_LIMIT', params: { provider: 'x' }, retryAfterMs: 7 })
  await expect(asking.call('plain', [])).rejects.toMatchObject({ code: 'INTERNAL', params: { detail: 'no' } })
  await expect(asking.call('a', [new Date()])).rejects.toMatchObject({ code: 'BORDER_VALUE' })
})

test.each(kinds)('a stream keeps its order and runs at most 256 items ahead of its reader %s', async (_name, links) => {
  let made = 0
  const { asking, serving } = openPair(
    {
      stream: async function* () {
        for (; made < 2000; made += 1) yield made % 100 === 0 ? { at: made, bytes: new Uint8Array([1]) } : { at: made }
      },
    },
    links(),
  )
  const reader = asking.stream('s', [])[Symbol.asyncIterator]()
  expect((await reader.next()).value).toMatchObject({ at: 0 })
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(made).toBeLessThanOrEqual(256)
  for (let at = 1; at < 2000; at += 1) expect((await reader.next()).value.at).toBe(at)
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  expect(serving.busy()).toBe(0)
})

test('a stream that fails gives its items first, then the error, then nothing', async () => {
  const { asking } = openPair(
    {
      stream: async function* () {
        yield 1
        throw fail('INTERRUPTED')
      },
    },
    linkPair(),
  )
  const reader = asking.stream('s', [])[Symbol.asyncIterator]()
  expect(await reader.next()).toEqual({ done: false, value: 1 })
  await expect(reader.next()).rejects.toMatchObject({ code: 'INTERRUPTED' })
  expect(await reader.next()).toEqual({ done: true, value: undefined })
})

test('abort reaches a call and a stream; a reader that leaves ends the producer', async () => {
  const seen: string[] = []
  const { asking, serving } = openPair(
    {
      call: (_to, _args, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
      stream: async function* (to) {
        try {
          for (;;) yield to
        } finally {
          seen.push(to)
        }
      },
    },
    linkPair(),
  )
  const controller = new AbortController()
  const waiting = asking.call('c', [], call(controller.signal))
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' })
  await expect(asking.call('already', [], call(controller.signal))).rejects.toMatchObject({ code: 'INTERRUPTED' })
  for await (const item of asking.stream('left', [])) {
    expect(item).toBe('left')
    break
  }
  await settled(serving)
  const other = new AbortController()
  for await (const _item of asking.stream('aborted', [], call(other.signal))) other.abort()
  await settled(serving)
  expect(seen).toEqual(['left', 'aborted'])
})

test('a closed link ends everything that waits on both sides', async () => {
  let aborted = false
  const links = pipePair(100)
  const { asking, serving } = openPair(
    {
      call: (_to, _args, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            aborted = true
            reject(signal.reason)
          }),
        ),
    },
    links,
  )
  const waiting = asking.call('c', [])
  const reading = asking.stream('never', [])[Symbol.asyncIterator]()
  await reading.next()
  serving.close()
  await expect(waiting).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  await Promise.all([asking.closed, serving.closed])
  await expect(asking.call('late', [])).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  await expect(asking.stream('late', [])[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  asking.note('late', [])
  expect(aborted).toBe(true)
})

test('a value above the cap is refused by name and the link lives on', async () => {
  const { asking } = openPair(
    {
      call: async (to) => (to === 'small' ? 1 : 'x'.repeat(maxFrameBytes)),
      stream: async function* () {
        yield 'x'.repeat(maxFrameBytes)
      },
    },
    pipePair(1 << 20),
  )
  await expect(asking.call('big', [])).rejects.toMatchObject({ code: 'BORDER_VALUE' })
  await expect(asking.call('args', ['x'.repeat(maxFrameBytes)])).rejects.toMatchObject({ code: 'BORDER_VALUE' })
  await expect(asking.stream('s', [])[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'BORDER_VALUE' })
  expect(await asking.call('small', [])).toBe(1)
})

test.each([
  ['a length above the cap', Buffer.from([0x7f, 0xff, 0xff, 0xff])],
  ['bytes without a message', Buffer.from([0x80, 0, 0, 1, 1])],
  ['no JSON', Buffer.from([0, 0, 0, 1, 0x7b])],
  ['a value nested too deep', Buffer.from(`\0\0\x01\x2c${'['.repeat(150)}${']'.repeat(150)}`)],
])('%s closes the link', async (_name, garbage) => {
  const pipe = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  const peer = openPeer({ link: pipeLink(pipe), codec: createCodec(), served: nothing })
  pipe.push(garbage)
  await peer.closed
  expect(pipe.destroyed).toBe(true)
})

test('an error that repeats what it was given, and is too large for it, arrives by its code alone', async () => {
  const { asking } = openPair(
    {
      call: async () => {
        throw fail('PLUGIN_FAILED', { plugin: 'p', during: 'd', detail: 'x'.repeat(maxFrameBytes) })
      },
      // biome-ignore lint/correctness/useYield: it fails before its first item.
      stream: async function* () {
        throw fail('PLUGIN_FAILED', { plugin: 'p', during: 'd', detail: 'x'.repeat(maxFrameBytes) })
      },
    },
    pipePair(1 << 20),
  )
  await expect(asking.call('big', [])).rejects.toMatchObject({ code: 'PLUGIN_FAILED', params: {} })
  await expect(asking.stream('s', [])[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'PLUGIN_FAILED', params: {} })
})

const frame = (message: object): Buffer => {
  if (Buffer.isBuffer(message)) {
    const head = Buffer.alloc(4)
    head.writeUInt32BE((0x8000_0000 | message.length) >>> 0)
    return Buffer.concat([head, message])
  }
  const text = JSON.stringify(message)
  const head = Buffer.alloc(4)
  head.writeUInt32BE(text.length)
  return Buffer.concat([head, Buffer.from(text)])
}

test.each<[string, (push: (message: object) => void) => void]>([
  [
    'a stream that does not wait for its reader',
    (push) => {
      for (let count = 0; count < 20; count++) push({ t: 'items', id: 1, p: { v: Array(64).fill(1) } })
    },
  ],
  [
    'calls without end',
    (push) => {
      for (let id = 0; id <= 10_000; id++) push({ t: 'call', id, to: 'x', p: {} })
    },
  ],
  [
    'bytes without end',
    (push) => {
      push({ t: 'note', to: 'x', p: { v: [], b: 1_000_000, x: 1 } })
      for (let count = 0; count < 5; count++) push(Buffer.alloc(maxFrameBytes))
    },
  ],
  ['a message without a payload', (push) => push({ t: 'note', to: 'x' })],
])('%s closes the link', async (_name, send) => {
  const pipe = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  const peer = openPeer({ link: pipeLink(pipe), codec: createCodec(), served: { ...nothing, call: () => new Promise(() => {}) } })
  void peer.stream('s', [])[Symbol.asyncIterator]()
  send((message) => pipe.push(frame(message)))
  await peer.closed
  expect(pipe.destroyed).toBe(true)
})

test('an answer that nobody waits for is passed over, and the link goes on', async () => {
  const [ours, theirs] = linkPair()
  const asking = openPeer({ link: ours, codec: createCodec(), served: nothing })
  const problems: unknown[] = []
  theirs.start(
    (message) => {
      if (message.t !== 'call') return
      for (const id of [message.id + 1, message.id]) {
        theirs.send({ t: 'items', id: message.id + 1, p: { v: [1] } })
        theirs.send({ t: 'end', id: message.id + 1 })
        theirs.send({ t: 'fail', id: message.id + 1, e: { code: 'INTERNAL', params: {} } })
        theirs.send({ t: 'ok', id, p: { v: 'done' } })
      }
    },
    () => undefined,
  )
  const note = (error: unknown): void => void problems.push(error)
  process.on('uncaughtException', note)
  try {
    expect(await asking.call('x', [])).toBe('done')
    await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off('uncaughtException', note)
  }
  expect(problems).toEqual([])
})

test('the other side is told at once that there is room again, while the reader takes what is left', async () => {
  const [ours, theirs] = linkPair()
  let flushed = 0
  const asking = openPeer({ link: { ...ours, flush: () => void flushed++ }, codec: createCodec(), served: nothing })
  const rooms: number[] = []
  theirs.start(
    (message) => {
      if (message.t === 'open') theirs.send({ t: 'items', id: message.id, p: { v: Array.from({ length: 256 }, (_item, n) => n) } })
      if (message.t === 'more') rooms.push(message.n)
    },
    () => undefined,
  )
  const items = asking.stream('s', [])[Symbol.asyncIterator]()
  for (let taken = 0; taken < 127; taken++) await items.next()
  expect(flushed).toBe(0)
  await items.next()
  expect(flushed).toBe(1)
  await expect.poll(() => rooms).toEqual([128])
})

test('a call whose answer cannot be read ends with its link', async () => {
  const pipe = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  const codec = createCodec({ resolve: () => JSON.parse('nonsense') })
  const peer = openPeer({ link: pipeLink(pipe), codec, served: nothing, gone: () => fail('PLUGIN_INACTIVE', { plugin: 'p' }) })
  const waits = peer.call('a/b', [])
  pipe.push(frame({ t: 'ok', id: 1, p: { v: { '\u0000': { r: 1 } }, x: 1 } }))
  await expect(waits).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
})
