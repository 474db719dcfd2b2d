import { expect, test } from 'vitest'
import { fail } from '../contract/errors.ts'
import type { Call } from '../contract/wire.ts'
import { createCodec } from './codec.ts'
import { Incoming } from './incoming.ts'
import { linkPair, type Message } from './link.ts'
import { openPeer } from './peer.ts'
import { creditSize, type Served } from './served.ts'

/** The serving side alone, and what it says; `cap` is the length of the longest message that its link takes. */
function openServing(served: Partial<Served>, cap = Number.POSITIVE_INFINITY) {
  const said: Message[] = []
  const link = {
    send: (message: Message) => {
      if (JSON.stringify(message).length > cap) throw fail('BORDER_VALUE', { path: message.t, problem: 'it is too large' })
      said.push(message)
    },
    start: () => undefined,
    close: () => undefined,
  }
  const nothing: Served = { call: async () => undefined, note: () => undefined, stream: async function* () {} }
  return { said, incoming: new Incoming({ link, codec: createCodec(), served: { ...nothing, ...served } }) }
}

const open = (id = 1): Message => ({ t: 'open', id, to: 's', p: { v: [] } })
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const turns = async (): Promise<void> => {
  for (let count = 0; count < 5; count++) await turn()
}
const itemsOf = (said: readonly Message[]): readonly unknown[] =>
  said.flatMap((message) => (message.t === 'items' ? [message.p.v as readonly unknown[]] : []))

test('a call without a name or a time has its number and all the time there is', async () => {
  const calls: Pick<Call, 'id' | 'deadline'>[] = []
  const { incoming } = openServing({ call: async (_to, _args, { id, deadline }) => calls.push({ id, deadline }) })
  incoming.receive({ t: 'call', id: 7, to: 'c', p: { v: [] } })
  incoming.receive({ t: 'call', id: 8, to: 'c', p: { v: [] }, n: 'call_8', ms: 500 })
  expect(calls).toEqual([
    { id: '7', deadline: 2_147_483_647 },
    { id: 'call_8', deadline: 500 },
  ])
})

test('who looks at the signal of a call after it was stopped sees that', async () => {
  let call: Call | undefined
  const { incoming } = openServing({
    call: async (_to, _args, given) => {
      call = given
      await turn()
    },
  })
  incoming.receive({ t: 'call', id: 1, to: 'c', p: { v: [] } })
  incoming.receive({ t: 'stop', id: 1 })
  incoming.receive({ t: 'stop', id: 99 })
  expect(call?.signal.aborted).toBe(true)
  expect(call?.signal.reason).toMatchObject({ code: 'INTERRUPTED' })
  expect(incoming.size).toBe(1)
  await turns()
  expect(incoming.size).toBe(0)
})

test('items of one turn go together, 64 at most, and those with bytes alone in their place', async () => {
  const { said, incoming } = openServing({
    stream: async function* () {
      for (let count = 0; count < 100; count++) yield count
      yield new Uint8Array([1])
      yield 'last'
    },
  })
  incoming.receive(open())
  await turns()
  expect(itemsOf(said).map((items) => (items as readonly unknown[]).length)).toEqual([64, 36, 1, 1])
  expect(itemsOf(said).at(-1)).toEqual(['last'])
  expect(said.at(-1)).toEqual({ t: 'end', id: 1 })
})

test('an item goes at the end of its turn, also when the next is long in coming', async () => {
  let goOn = (): void => undefined
  const waiting = new Promise<void>((resolve) => (goOn = resolve))
  const { said, incoming } = openServing({
    stream: async function* () {
      yield 1
      await waiting
      yield 2
    },
  })
  incoming.receive(open())
  await turns()
  expect(itemsOf(said)).toEqual([[1]])
  goOn()
  await turns()
  expect(itemsOf(said)).toEqual([[1], [2]])
})

test('what is too large together goes one by one, and one that is too large alone ends the stream', async () => {
  const text = 'x'.repeat(40)
  const { said, incoming } = openServing(
    {
      stream: async function* () {
        for (let count = 0; count < 3; count++) yield text
        await turn()
        yield 'x'.repeat(200)
        yield 'never'
      },
    },
    100,
  )
  incoming.receive(open())
  await turns()
  expect(itemsOf(said)).toEqual([[text], [text], [text]])
  expect(said.at(-1)).toMatchObject({ t: 'end', e: { code: 'BORDER_VALUE' } })
})

test('a producer stops after 256 items until there is room for more, and ends when its reader leaves', async () => {
  let made = 0
  let ended = false
  const { incoming } = openServing({
    stream: async function* () {
      try {
        for (;;) yield made++
      } finally {
        ended = true
      }
    },
  })
  incoming.receive(open())
  await turns()
  expect(made).toBe(256)
  incoming.receive({ t: 'more', id: 1, n: 10 })
  incoming.receive({ t: 'more', id: 99, n: 10 })
  await turns()
  expect([made, ended]).toEqual([266, false])
  incoming.receive({ t: 'stop', id: 1 })
  await turns()
  expect([ended, incoming.size]).toEqual([true, 0])
})

test('a producer waits until there is room in items and in what they hold', async () => {
  let made = 0
  const { incoming } = openServing({
    stream: async function* () {
      yield made++
      for (;;) {
        made++
        yield 'x'.repeat(creditSize)
      }
    },
  })
  const more = async (): Promise<number> => {
    incoming.receive({ t: 'more', id: 1, n: 1 })
    await turns()
    return made
  }
  incoming.receive(open())
  await turns()
  expect(made).toBe(2)
  expect([await more(), await more()]).toEqual([2, 3])
  incoming.receive({ t: 'stop', id: 1 })
  await turns()
  expect(incoming.size).toBe(0)
})

test('when the link is gone every call and stream is told why', async () => {
  const reasons: unknown[] = []
  const until = async (signal: AbortSignal): Promise<void> => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    reasons.push(signal.reason.code)
  }
  const { incoming } = openServing({
    call: (_to, _args, { signal }) => until(signal),
    // biome-ignore lint/correctness/useYield: it ends before its first item.
    stream: async function* (_to, _args, { signal }) {
      await until(signal)
    },
  })
  incoming.receive({ t: 'call', id: 1, to: 'c', p: { v: [] } })
  incoming.receive(open(2))
  incoming.stopAll(fail('PLUGIN_INACTIVE', { plugin: 'p' }))
  await turns()
  expect([reasons, incoming.size]).toEqual([['PLUGIN_INACTIVE', 'PLUGIN_INACTIVE'], 0])
})

/** The asking side, what it says, and what the other side is made to say. */
function openAsking() {
  const [mine, other] = linkPair()
  const said: Message[] = []
  other.start(
    (message) => said.push(message),
    () => undefined,
  )
  const nothing: Served = { call: async () => undefined, note: () => undefined, stream: async function* () {} }
  return { said, say: other.send, peer: openPeer({ link: mine, codec: createCodec(), served: nothing }) }
}
const kinds = (said: readonly Message[]): readonly string[] => said.map(({ t }) => t)

test('what is over is neither stopped nor asked for more', async () => {
  const { said, say, peer } = openAsking()
  const stop = new AbortController()
  const answer = peer.call('c', [], { id: 'c', signal: stop.signal, deadline: 1 })
  say({ t: 'ok', id: 1, p: { v: 1 } })
  expect(await answer).toBe(1)
  stop.abort()
  const reader = peer.stream('s', [])[Symbol.asyncIterator]()
  say({ t: 'items', id: 2, p: { v: Array(200).fill(0) } })
  say({ t: 'end', id: 2 })
  await turn()
  for (let count = 0; count < 200; count++) await reader.next()
  await reader.return?.()
  await turn()
  expect(kinds(said)).toEqual(['call', 'open'])
})

test('what runs is stopped once, by its signal, its reader or who gives it up', async () => {
  const { said, say, peer } = openAsking()
  const stop = new AbortController()
  const settled: string[] = []
  const called = peer.call('c', [], { id: 'c', signal: stop.signal, deadline: 1 }, () => settled.push('settled'))
  stop.abort()
  say({ t: 'fail', id: 1, e: { code: 'INTERRUPTED', params: {} } })
  await expect(called).rejects.toMatchObject({ code: 'INTERRUPTED' })
  expect(settled).toEqual(['settled'])
  const reader = peer.stream('s', [])[Symbol.asyncIterator]()
  say({ t: 'items', id: 2, p: { v: Array(200).fill(0) } })
  await turn()
  for (let count = 0; count < 128; count++) await reader.next()
  expect(await reader.return?.('value')).toEqual({ done: true, value: 'value' })
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  const given = peer.call('mine/x', [])
  const other = peer.call('other/x', [])
  peer.abandon((to) => to.startsWith('mine'), fail('PLUGIN_INACTIVE', { plugin: 'p' }))
  await expect(given).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  say({ t: 'ok', id: 4, p: { v: 'there' } })
  expect(await other).toBe('there')
  expect(kinds(said)).toEqual(['call', 'stop', 'open', 'more', 'stop', 'call', 'call', 'stop'])
  expect(said.filter(({ t }) => t === 'stop' || t === 'more')).toEqual([
    { t: 'stop', id: 1 },
    { t: 'more', id: 2, n: 128 },
    { t: 'stop', id: 2 },
    { t: 'stop', id: 3 },
  ])
})

test('what cannot be asked is not waited for', async () => {
  const { said, peer } = openAsking()
  const settled: string[] = []
  await expect(peer.call('c', [new Date()], undefined, () => settled.push('settled'))).rejects.toMatchObject({ code: 'BORDER_VALUE' })
  await expect(peer.stream('s', [new Date()])[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'BORDER_VALUE' })
  expect([settled, said]).toEqual([['settled'], []])
  peer.abandon(() => true, fail('INTERRUPTED'))
  expect(said).toEqual([])
})
