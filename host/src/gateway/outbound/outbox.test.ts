import type { Clock, Connection, InboundMessage, LostSend, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { PassingClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { Journal } from '#store/journal.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { reaching, talkConnection, talkSpec } from '../testing/talk.ts'
import { openOutbox } from './outbox.ts'

const sent = (id: string): Receipt => ({ status: 'sent', platformId: id })
const unknown: Receipt = { status: 'unknown', error: { code: 'SEND_UNKNOWN', params: { platform: 'Talk', detail: 'cut' } } }
const refused = (retryAfterMs?: number): Receipt => ({
  status: 'refused',
  error: { code: 'SEND_REFUSED', params: { platform: 'Talk', detail: 'no' }, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
})

const hello: InboundMessage = {
  ...{ id: 'm1', account: 'bot', conversation: { id: 'ann', kind: 'dm' }, sender: { id: 'ann', isBot: false } },
  ...{ text: 'hello', addressed: true },
}

interface Delivered {
  /** Every send, in order. */
  readonly sends: readonly OutboundMessage[]
  readonly unknown: number
  /** Milliseconds of each wait. */
  readonly pauses: readonly number[]
}

/** What becomes of these texts, said in one conversation. */
async function deliver(
  texts: readonly string[],
  methods: Partial<Connection>,
  more: Parameters<typeof talkSpec>[0] = {},
): Promise<Delivered> {
  await using place = await createTemporaryStore()
  const { journal, leases } = await place.open()
  await leases.hold('boot', 'boot', 60_000)
  const sends: OutboundMessage[] = []
  const pauses: number[] = []
  const spec = talkSpec({ ...more, capabilities: { findSent: methods.findSent !== undefined, ...more?.capabilities } })
  const connection = talkConnection(spec, {
    ...methods,
    send: async (message, call) => {
      sends.push(message)
      return (await methods.send?.(message, call)) ?? sent(`p${sends.length}`)
    },
  })
  const pump = openOutbox({
    ...{ journal, owner: 'boot', platforms: ['talk'], concurrency: 8, clock: withoutLimits(place.clock, pauses), log: silentLog },
    ...reaching(spec, connection),
  })
  await accept(journal, texts)
  await expect.poll(async () => (await journal.pending()).length, { timeout: 5000 }).toBe(0)
  await pump.close()
  return { sends, unknown: (await journal.unknownSends()).length, pauses }
}

/** Waits are over at once; the limit of a send is never reached. */
function withoutLimits(clock: Clock, pauses: number[] = []): Clock {
  return {
    now: clock.now,
    sleep(ms, signal) {
      if (ms >= 30_000) return createFakeClock().sleep(ms, signal)
      pauses.push(ms)
      return clock.sleep(ms)
    },
  }
}

async function accept(journal: Journal, texts: readonly string[], person = 'ann'): Promise<void> {
  const place = { account: 'bot', conversation: { id: person, kind: 'dm' }, sender: { id: person, isBot: false } } as const
  await journal.accept('talk', { ...place, id: `hello from ${person}`, text: 'hello', addressed: true })
  const claim = await journal.claim('boot')
  if (!claim) throw new Error('nothing was accepted')
  await journal.answer(claim, { outbound: texts.map((text) => ({ text })), turn: null })
}

const texts = ({ sends }: Delivered): readonly string[] => sends.map(({ text }) => text)

test('parts are sent in their order, each once', async () => {
  const delivered = await deliver(['one', 'two', 'three'], {})
  expect(texts(delivered)).toEqual(['one', 'two', 'three'])
  expect(delivered.unknown).toBe(0)
})

test('a refusal with a time is tried again then, and holds what comes behind it', async () => {
  const answers = [refused(50), refused(50), sent('a'), sent('b')]
  expect(texts(await deliver(['one', 'two'], { send: async () => answers.shift() ?? sent('c') }))).toEqual(['one', 'one', 'one', 'two'])
})

test('a clock that is set back keeps nothing waiting, neither what is tried again nor what follows in its conversation', async () => {
  await using place = await createTemporaryStore()
  let back = 0
  const clock: PassingClock = {
    now: () => place.clock.now() - back,
    elapsed: place.clock.now,
    sleep: (ms, signal) => (ms >= 30_000 ? createFakeClock().sleep(ms, signal) : place.clock.sleep(ms)),
  }
  const { journal, leases } = await place.open({ clock })
  await leases.hold('boot', 'boot', 60_000)
  const sends: string[] = []
  const spec = talkSpec()
  const connection = talkConnection(spec, {
    send: async ({ text }) => {
      sends.push(text)
      if (sends.length > 1) return sent(`p${sends.length}`)
      back = 600_000
      return refused(50)
    },
  })
  const pump = openOutbox({
    ...{ journal, owner: 'boot', platforms: ['talk'], concurrency: 8, clock, log: silentLog },
    ...reaching(spec, connection),
  })
  await accept(journal, ['one', 'two'])
  const began = place.clock.time
  await expect.poll(() => sends, { timeout: 5000 }).toEqual(['one', 'one', 'two'])
  expect(place.clock.time - began).toBeLessThan(10_000)
  await pump.close()
})

test('a refusal without one ends the part, and the next goes', async () => {
  const answers = [refused(), sent('b')]
  expect(texts(await deliver(['one', 'two'], { send: async () => answers.shift() ?? sent('c') }))).toEqual(['one', 'two'])
})

test('what did not leave the machine is sent again', async () => {
  let failures = 2
  const send = async (): Promise<Receipt> => {
    failures -= 1
    if (failures >= 0) throw fail('PLATFORM_UNREACHABLE', { platform: 'Talk', detail: 'no route' })
    return sent('a')
  }
  expect(texts(await deliver(['one'], { send }))).toEqual(['one', 'one', 'one'])
})

const markText = expect.stringMatching(/^\(A message of mine may be missing here/)

test('what nobody can tell about is unknown, and its conversation is told so, once', async () => {
  const answers = [unknown]
  const delivered = await deliver(['one', 'two'], { send: async () => answers.shift() ?? sent('a') })
  expect([texts(delivered), delivered.unknown]).toEqual([['one', 'two', markText], 1])
  // One message has one mark, however many of its parts are unknown.
  const parts = [unknown, sent('b'), unknown]
  const partly = await deliver(['one', 'two', 'three'], { send: async () => parts.shift() ?? sent('a') })
  expect([texts(partly), partly.unknown]).toEqual([['one', 'two', 'three', markText], 2])
  // Of a mark nobody is told that it may be missing.
  const lost = await deliver(['one'], { send: async () => unknown })
  expect([texts(lost), lost.unknown]).toEqual([['one', markText], 1])
})

test('a platform is asked about a lost receipt until it can be, and what is found is not sent again', async () => {
  const lost = { send: async () => unknown }
  expect(await deliver(['one'], { ...lost, findSent: async () => sent('found') })).toMatchObject({ sends: [{ text: 'one' }], unknown: 0 })
  let asked = 0
  const later = async (): Promise<Receipt> => {
    asked += 1
    if (asked === 1) throw fail('PLATFORM_UNREACHABLE', { platform: 'Talk', detail: 'the connection is gone' })
    return asked === 2 ? unknown : sent('found')
  }
  expect(await deliver(['one'], { ...lost, findSent: later })).toMatchObject({ sends: [{ text: 'one' }], unknown: 0 })
  expect(asked).toBe(3)
})

test.each([
  ['cannot tell', async () => unknown, 3],
  ['can never be asked', async () => Promise.reject(new Error('no')), 9],
])('a platform that %s is not asked for ever', async (_, findSent, most) => {
  let asked = 0
  const delivered = await deliver(['one'], {
    send: async ({ text }) => (text === 'one' ? unknown : sent('mark')),
    findSent: () => {
      asked += 1
      return findSent()
    },
  })
  expect([texts(delivered), delivered.unknown]).toEqual([['one', markText], 1])
  expect(asked).toBe(most)
})

test('a platform is told when the first attempt was made, and which message it was', async () => {
  const told: LostSend[] = []
  const { sends } = await deliver(['one'], {
    send: async () => unknown,
    findSent: async (lost) => {
      told.push(lost)
      return sent('found')
    },
  })
  expect(told).toEqual([{ key: sends[0]?.key, account: 'bot', conversation: 'ann', firstTriedAt: 1_700_000_000_000 }])
})

test('what certainly did not arrive is sent again under its key', async () => {
  const answers = [unknown, sent('a')]
  const delivered = await deliver(['one'], { send: async () => answers.shift() ?? sent('b'), findSent: async () => null })
  expect(texts(delivered)).toEqual(['one', 'one'])
  expect(new Set(delivered.sends.map(({ key }) => key)).size).toBe(1)
  expect(delivered.unknown).toBe(0)
})

test('with keys a lost receipt is no loss', async () => {
  const answers = [unknown, sent('a')]
  const delivered = await deliver(['one'], { send: async () => answers.shift() ?? sent('b') }, { capabilities: { idempotentSend: true } })
  expect([texts(delivered), delivered.unknown]).toEqual([['one', 'one'], 0])
})

test.each([
  ['takes the place of its preview', sent('p1'), []],
  ['comes as a separate message where the preview is gone', refused(), ['whole']],
])('an answer %s', async (_, receipt, wanted) => {
  await using place = await createTemporaryStore()
  const { journal, leases } = await place.open()
  await leases.hold('boot', 'boot', 60_000)
  await journal.accept('talk', hello)
  const claim = await journal.claim('boot')
  const preview = claim && (await journal.startPreview(claim, 'who'))
  if (!claim || !preview) throw new Error('nothing was accepted')
  await journal.settleSend(preview, sent('p1'))
  await journal.answer(claim, { outbound: [{ text: 'whole' }], turn: null })
  const edits: string[] = []
  const sends: string[] = []
  const spec = talkSpec({ capabilities: { edit: true } })
  const connection = talkConnection(spec, {
    edit: async (id, { text }) => {
      edits.push(`${id} ${text}`)
      return receipt
    },
    send: async ({ text }) => {
      sends.push(text)
      return sent('p2')
    },
  })
  const pump = openOutbox({
    ...{ journal, owner: 'boot', platforms: ['talk'], concurrency: 8, clock: withoutLimits(place.clock), log: silentLog },
    ...reaching(spec, connection),
  })
  pump.wake()
  await expect.poll(async () => (await journal.pending()).length).toBe(0)
  await pump.close()
  expect([edits, sends]).toEqual([['p1 whole'], wanted])
})

test('a platform with its own dialect gets the tree', async () => {
  const [message] = (await deliver(['**one**'], {}, { markup: 'tree' })).sends
  expect(message).toMatchObject({ text: '**one**', body: [{ type: 'paragraph', children: [{ type: 'strong' }] }] })
})

test.each([
  ['one where nothing tells what became of a send', {}, 1],
  ['several where the platform can be asked', { capabilities: { findSent: true } }, 3],
  ['one where the platform asks for that', { capabilities: { findSent: true }, limits: { sendsAtOnce: 1 } }, 1],
] as const)('sends under way at once: %s', async (_, more, most) => {
  await using place = await createTemporaryStore()
  const { journal, leases } = await place.open()
  await leases.hold('boot', 'boot', 60_000)
  let under = 0
  let seen = 0
  const spec = talkSpec(more)
  const connection = talkConnection(spec, {
    send: async () => {
      under += 1
      seen = Math.max(seen, under)
      await new Promise((resolve) => setImmediate(resolve))
      under -= 1
      return sent('a')
    },
  })
  for (const person of ['ann', 'ben', 'cem']) await accept(journal, ['one'], person)
  const pump = openOutbox({
    ...{ journal, owner: 'boot', platforms: ['talk'], concurrency: 8, clock: withoutLimits(place.clock), log: silentLog },
    ...reaching(spec, connection),
  })
  pump.wake()
  await expect.poll(async () => (await journal.pending()).length, { timeout: 5000 }).toBe(0)
  await pump.close()
  expect(seen).toBe(most)
})

test('between the parts of an answer is the pause that the platform wants', async () => {
  const { pauses } = await deliver(['one', 'two', 'three'], {}, { limits: { pauseMs: 700 } })
  expect(pauses.filter((ms) => ms === 700)).toHaveLength(2)
})

test('what became of a send under way when it closes is found out by who comes next', async () => {
  await using place = await createTemporaryStore()
  const { journal, leases } = await place.open()
  await leases.hold('boot', 'boot', 60_000)
  const clock = createFakeClock()
  let begun = false
  const spec = talkSpec()
  const connection = talkConnection(spec, {
    send: () => {
      begun = true
      return new Promise(() => undefined)
    },
  })
  await accept(journal, ['one'])
  const pump = openOutbox({
    ...{ journal, owner: 'boot', platforms: ['talk'], concurrency: 8, clock, log: silentLog },
    ...reaching(spec, connection),
  })
  pump.wake()
  await expect.poll(() => begun).toBe(true)
  const closing = pump.close()
  await clock.advance(60_000)
  await closing
  expect(await journal.unknownSends()).toEqual([])
  place.clock.time = clock.now()
  expect(await journal.claimSend('boot')).toMatchObject({ doubt: 'ask', message: { text: 'one' } })
})

test('a platform that connects again is asked about what lately became unknown there', async () => {
  await using place = await createTemporaryStore()
  const { journal, leases } = await place.open()
  await leases.hold('boot', 'boot', 60_000)
  const found: string[] = []
  const spec = talkSpec({ capabilities: { findSent: true } })
  const connection = talkConnection(spec, {
    send: async () => sent('again'),
    findSent: async ({ key }) => {
      found.push(key)
      return sent('found')
    },
  })
  const loseOne = async (person: string) => {
    await accept(journal, ['one'], person)
    const send = await journal.claimSend('boot')
    if (send) await journal.settleSend(send, { status: 'unknown', error: { code: 'SEND_UNKNOWN', params: {} } })
    return send?.message.key
  }
  await loseOne('ann')
  place.clock.time += 25 * 3_600_000
  await leases.hold('boot', 'boot', 60_000)
  const young = await loseOne('ben')
  place.clock.time += 3_600_000
  await leases.hold('boot', 'boot', 60_000)
  const pump = openOutbox({
    ...{ journal, owner: 'boot', platforms: ['talk'], concurrency: 8, clock: withoutLimits(place.clock), log: silentLog },
    ...reaching(spec, connection),
  })
  pump.onConnected('talk')
  await expect.poll(async () => (await journal.unknownSends()).map(({ conversation }) => conversation)).toEqual(['ann'])
  await expect.poll(() => found).toEqual([young])
  await pump.close()
})

test.each(['left', 'kept'])(
  'a platform sends from when it is followed; the end waits for what one that is %s was sending',
  async (which) => {
    await using place = await createTemporaryStore()
    const { journal, leases } = await place.open()
    await leases.hold('boot', 'boot', 60_000)
    const done: string[] = []
    let goOn = (): void => undefined
    const spec = talkSpec()
    const connection = talkConnection(spec, {
      send: async ({ text }) => {
        done.push(text)
        await new Promise<void>((resolve) => (goOn = resolve))
        return sent('a')
      },
    })
    const settleSend: Journal['settleSend'] = async (...about) => {
      await new Promise(setImmediate)
      await journal.settleSend(...about)
      done.push('settled')
    }
    const outbox = openOutbox({
      ...{ journal: { ...journal, settleSend }, owner: 'boot', platforms: [], concurrency: 8, clock: createFakeClock(), log: silentLog },
      ...reaching(spec, connection),
    })
    await accept(journal, ['one'])
    outbox.follow('talk', false)
    outbox.wake()
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
    expect(done).toEqual([])
    outbox.follow('talk', true)
    await expect.poll(() => done).toEqual(['one'])
    outbox.follow('talk', true)
    if (which === 'left') outbox.follow('talk', false)
    await accept(journal, ['two'], 'ben')
    outbox.wake()
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
    const closing = outbox.close().then(() => done.push('closed'))
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
    expect(done).toEqual(['one'])
    goOn()
    await closing
    expect(done).toEqual(['one', 'settled', 'closed'])
  },
)

test('a platform that is not in the catalog now keeps what waits, and sends it when it is there again', async () => {
  await using place = await createTemporaryStore()
  const { journal, leases } = await place.open()
  await leases.hold('boot', 'boot', 60_000)
  const errors: string[] = []
  const texts: string[] = []
  const spec = talkSpec()
  const connection = talkConnection(spec, {
    send: async ({ text }) => {
      texts.push(text)
      return sent('a')
    },
  })
  const { catalog, ...rest } = reaching(spec, connection)
  let isThere = false
  const outbox = openOutbox({
    ...{ journal, owner: 'boot', platforms: ['talk'], concurrency: 8, clock: withoutLimits(place.clock), ...rest },
    catalog: { find: (...about) => (isThere ? catalog.find(...about) : undefined) },
    log: { ...silentLog, error: (text) => errors.push(text) },
  })
  await accept(journal, ['one'])
  outbox.onConnected('talk')
  await expect.poll(() => journal.nextSendAt('talk', journal.now())).not.toBeNull()
  isThere = true
  await expect.poll(() => texts).toEqual(['one'])
  expect(errors).toEqual([])
  await outbox.close()
})

test('when to look again is asked as of the time before the last look', async () => {
  await using place = await createTemporaryStore()
  const { journal, leases } = await place.open()
  await leases.hold('boot', 'boot', 60_000)
  const isBefore: boolean[] = []
  const slow: Journal = {
    ...journal,
    claimSend: async (owner, where) => {
      place.clock.time += 1
      return journal.claimSend(owner, where)
    },
    nextSendAt: async (platform, after) => {
      isBefore.push(after < place.clock.time)
      return journal.nextSendAt(platform, after)
    },
  }
  const spec = talkSpec()
  const outbox = openOutbox({
    ...{ journal: slow, owner: 'boot', platforms: ['talk'], concurrency: 8, clock: withoutLimits(place.clock), log: silentLog },
    ...reaching(spec, talkConnection(spec, {})),
  })
  outbox.wake()
  await expect.poll(() => isBefore).toEqual([true])
  await outbox.close()
})

test('a platform that can be asked is asked again, as often as at first; a journal that cannot say what about stops nothing', async () => {
  await using place = await createTemporaryStore()
  const { journal, leases } = await place.open()
  await leases.hold('boot', 'boot', 10 ** 9)
  const errors: unknown[] = []
  const texts: string[] = []
  let asked = 0
  const made = (isAsked: boolean, askAgain: Journal['askAgain'] = journal.askAgain) => {
    const spec = talkSpec({ capabilities: { findSent: isAsked } })
    const connection = talkConnection(spec, {
      send: async ({ text }) => {
        texts.push(text)
        return text === 'one' ? unknown : sent('a')
      },
      findSent: async () => {
        asked += 1
        return unknown
      },
    })
    return openOutbox({
      ...{ journal: { ...journal, askAgain }, owner: 'boot', platforms: ['talk'], concurrency: 8, clock: withoutLimits(place.clock) },
      ...{ ...reaching(spec, connection), log: { ...silentLog, error: (_: string, fields: unknown) => errors.push(fields) } },
    })
  }
  const isQuiet = async () => (await journal.pending()).length === 0 && (await journal.unknownSends()).length === 1
  const first = made(true)
  await accept(journal, ['one'])
  await expect.poll(isQuiet).toBe(true)
  expect(asked).toBe(3)
  first.onConnected('talk')
  await expect.poll(() => asked).toBe(6)
  await expect.poll(isQuiet).toBe(true)
  await first.close()
  const deaf = made(false)
  deaf.onConnected('talk')
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  expect([await isQuiet(), asked]).toEqual([true, 6])
  await deaf.close()
  await accept(journal, ['two'], 'ben')
  const broken = made(true, () => Promise.reject(new Error('no')))
  broken.onConnected('talk')
  await expect.poll(() => texts.at(-1)).toBe('two')
  expect(errors).toEqual([{ platform: 'talk', error: 'Error: no' }])
  await broken.close()
})
