import type { Connection } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { talkSpec } from '../testing/talk.ts'
import { boundConnection, createSendsUnderWay } from './bound-connection.ts'

const call = createCall(new AbortController().signal)
const names = [
  'send',
  'identity',
  'edit',
  'findSent',
  'typing',
  'endTyping',
  'react',
  'setCommands',
  'listConversations',
  'lastHeard',
  'close',
] as const

test('whatever is asked of a connection reaches it, and its answer comes back', async () => {
  const asked: string[] = []
  const connection = Object.fromEntries(
    names.map((name) => [
      name,
      async (...given: readonly unknown[]) => {
        asked.push(`${name} ${given.slice(0, -1).join(' ')}`.trim())
        return `answer of ${name}`
      },
    ]),
  ) as unknown as Connection
  const known = ['edit', 'findSent', 'typing', 'endTyping', 'react', 'setCommands', 'listConversations']
  const capabilities = { ...talkSpec().capabilities, ...Object.fromEntries(known.map((name) => [name, true])) }
  const bound = boundConnection(connection, { label: 'Talk', capabilities } as never, createFakeClock(), createSendsUnderWay())
  const answers = await Promise.all([
    bound.send('m' as never, call),
    bound.identity(call),
    bound.edit('1', 'm' as never, call),
    bound.findSent('m' as never, call),
    bound.typing('c' as never, call),
    bound.endTyping('c' as never, call),
    bound.react('m' as never, 'busy' as never, call),
    bound.setCommands(['x'] as never, call),
    bound.listConversations(call),
    bound.lastHeard(call),
    bound.close(call),
  ])
  expect(answers).toEqual(names.map((name) => `answer of ${name}`))
  expect(asked).toEqual([
    'send m',
    'identity',
    'edit 1 m',
    'findSent m',
    'typing c',
    'endTyping c',
    'react m busy',
    'setCommands x',
    'listConversations',
    'lastHeard',
    'close',
  ])
})

test('a connection is idle when nothing is sent or edited, whatever came of it', async () => {
  const sends = createSendsUnderWay()
  let fail = (): void => undefined
  const sending = sends.track(new Promise((_, reject) => (fail = () => reject(new Error('no')))))
  let isIdle = false
  const idle = sends.idle().then(() => (isIdle = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isIdle).toBe(false)
  fail()
  await expect(sending).rejects.toThrow('no')
  await idle
})

async function* inPieces(onEnd: () => void, ...pieces: readonly number[]): AsyncGenerator<Uint8Array> {
  try {
    for (const piece of pieces) yield new Uint8Array([piece])
  } finally {
    onEnd()
  }
}

const whole = Object.fromEntries(names.map((name) => [name, async () => undefined]))
const mediaOf = (fetchMedia: () => AsyncIterable<Uint8Array>, clock = createFakeClock()) =>
  boundConnection(
    { ...whole, fetchMedia } as never,
    { label: 'Talk', capabilities: { ...talkSpec().capabilities, fetchMedia: true } } as never,
    clock,
    createSendsUnderWay(),
  ).fetchMedia({} as never, call)

test('a file comes piece by piece, and what brings it ends with it', async () => {
  let ended = 0
  const pieces: number[] = []
  for await (const piece of mediaOf(() => inPieces(() => ended++, 1, 2, 3))) pieces.push(piece[0] ?? 0)
  expect([pieces, ended]).toEqual([[1, 2, 3], 1])
})

test('a reader that leaves ends what brings the file, also where its end fails', async () => {
  let ended = 0
  for await (const piece of mediaOf(() => inPieces(() => ended++, 1, 2))) {
    expect(piece[0]).toBe(1)
    break
  }
  expect(ended).toBe(1)
  const next = async () => ({ done: false, value: new Uint8Array([7]) })
  for (const end of [() => Promise.reject(new Error('it is gone')), () => undefined, undefined]) {
    const odd = { next, return: end } as never
    for await (const piece of mediaOf(() => ({ [Symbol.asyncIterator]: () => odd }))) {
      expect(piece[0]).toBe(7)
      break
    }
  }
})

test('a failure while a file comes reaches the reader', async () => {
  const failing = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('cut')) }) }
  await expect(
    mediaOf(() => failing)
      [Symbol.asyncIterator]()
      .next(),
  ).rejects.toThrow('cut')
})
