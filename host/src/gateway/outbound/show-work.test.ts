import type { CompleteConnection, Connection, PlatformManifest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { Patience } from '../rules/patience.ts'
import { reaching, talkConnection, talkSpec } from '../testing/talk.ts'
import { showWork, type Work } from './show-work.ts'

interface Rig {
  readonly patience: Patience
  readonly work: Work
  readonly clock: FakeClock
  readonly shown: string[]
  /** What could not be shown, as the log has it. */
  readonly missed: unknown[]
  readonly stop: AbortController
}

function open({
  wants = { typing: true, reactions: true },
  methods = {},
  held = false,
  limits = {},
  connected = () => true,
  ends = false,
}: {
  wants?: { typing: boolean; reactions: boolean }
  methods?: Partial<Connection>
  /** The platform has asked for patience before. */
  held?: boolean
  limits?: Partial<PlatformManifest['limits']>
  connected?: () => boolean
  ends?: boolean
} = {}): Rig {
  const shown: string[] = []
  const spec = talkSpec({ capabilities: { typing: true, endTyping: ends, react: true }, limits: { typingMs: 2000, ...limits } })
  const connection = talkConnection(spec, {
    typing: async (conversation) => void shown.push(`typing in ${conversation}`),
    endTyping: async (conversation) => void shown.push(`no more in ${conversation}`),
    react: async ({ id }, mood) => void shown.push(`${id} ${mood}`),
    ...methods,
  })
  const clock = createFakeClock()
  const stop = new AbortController()
  const message = { account: 'bot', conversation: 'ann', id: 'm1' }
  const { patience } = reaching(spec, connection, clock.now)
  if (held) patience.ask({ platform: 'talk', account: 'bot', conversation: 'ann' }, 10_000)
  const missed: unknown[] = []
  const log = { ...silentLog, debug: (_: string, fields: unknown) => missed.push(fields) }
  const to = (): CompleteConnection | undefined => (connected() ? connection : undefined)
  const work = showWork({ message, spec, connection: to, patience, wants, clock, log }, stop.signal)
  return { work, clock, shown, missed, stop, patience }
}

test('typing is shown again and again until the end, and the message is marked', async () => {
  const { work, clock, shown } = open()
  await clock.advance(5000)
  await work.end('done')
  await clock.advance(5000)
  expect(shown).toEqual(['m1 seen', 'typing in ann', 'typing in ann', 'typing in ann', 'm1 done'])
})

test('nobody types while a person has to answer', async () => {
  const { work, clock, shown } = open({ wants: { typing: true, reactions: false } })
  await clock.advance(100)
  work.pause()
  await clock.advance(10_000)
  expect(shown).toHaveLength(1)
  work.resume()
  await clock.advance(2000)
  expect(shown).toHaveLength(2)
  await work.end()
})

test('what the owner does not want is not shown; a shutdown ends it', async () => {
  const { work, clock, shown, stop } = open({ wants: { typing: false, reactions: false } })
  await clock.advance(5000)
  stop.abort()
  await work.end('failed')
  expect(shown).toEqual([])
  expect(clock.sleeping()).toBe(0)
})

test('a platform that fails at it disturbs nothing', async () => {
  for (const error of [new Error('no'), fail('UNSUPPORTED', { what: 'typing', by: 'Talk' })]) {
    const broken = () => Promise.reject(error)
    const { work, clock, patience, missed } = open({ methods: { typing: broken, react: broken } })
    await clock.advance(5000)
    await work.end('done')
    expect(patience.until({ platform: 'talk', account: 'bot', conversation: 'ann' })).toBe(0)
    expect(missed[0]).toMatchObject({ platform: 'talk' })
  }
})

test('without a connection nothing is shown and nothing is missed', async () => {
  const { work, clock, shown, missed } = open({ connected: () => false })
  await clock.advance(5000)
  await work.end('done')
  expect([shown, missed]).toEqual([[], []])
})

const onlyTyping = { ends: true, wants: { typing: true, reactions: false } } as const

test('what is shown ends once with the turn, however it ends, and while a person has to answer', async () => {
  const { work, clock, shown } = open(onlyTyping)
  await clock.advance(100)
  work.pause()
  work.pause()
  await clock.advance(10_000)
  expect(shown).toEqual(['typing in ann', 'no more in ann'])
  work.resume()
  await clock.advance(2000)
  await work.end()
  await work.end()
  await clock.advance(10_000)
  expect(shown).toEqual(['typing in ann', 'no more in ann', 'typing in ann', 'no more in ann'])
})

test('a stopped turn and a shutdown end it too', async () => {
  for (const stops of [true, false]) {
    const { work, clock, shown, stop } = open(onlyTyping)
    await clock.advance(100)
    if (stops) stop.abort()
    await work.end()
    expect(shown).toEqual(['typing in ann', 'no more in ann'])
  }
})

test('the end is never shown where nothing was, where nothing is connected, or to a platform that asks for patience', async () => {
  const silent = open({ ...onlyTyping, wants: { typing: false, reactions: false } })
  await silent.clock.advance(100)
  await silent.work.end()
  expect(silent.shown).toEqual([])
  let isConnected = false
  const late = open({ ...onlyTyping, connected: () => isConnected })
  await late.clock.advance(100)
  isConnected = true
  await late.work.end()
  expect(late.shown).toEqual([])
  const gone = open({ ...onlyTyping, connected: () => isConnected })
  await gone.clock.advance(100)
  isConnected = false
  await gone.work.end()
  expect(gone.shown).toEqual(['typing in ann'])
  const held = open(onlyTyping)
  await held.clock.advance(100)
  held.patience.ask({ platform: 'talk', account: 'bot', conversation: 'ann' }, 10_000)
  await held.work.end()
  expect(held.shown).toEqual(['typing in ann'])
})

test('an end that fails hurts nothing, and comes after the typing before it', async () => {
  const failing = open({ ...onlyTyping, methods: { endTyping: () => Promise.reject(new Error('no')) } })
  await failing.clock.advance(100)
  await failing.work.end('done')
  expect(failing.missed).toHaveLength(1)
  let goOn = (): void => undefined
  const slow: Rig = open({
    ...onlyTyping,
    methods: {
      typing: async () => {
        await new Promise<void>((resolve) => (goOn = resolve))
        slow.shown.push('typed at last')
      },
    },
  })
  await slow.clock.advance(100)
  const ended = slow.work.end()
  goOn()
  await ended
  expect(slow.shown).toEqual(['typed at last', 'no more in ann'])
})

test('typing is not shown again while it is still on its way', async () => {
  let typed = 0
  const rig = open({
    methods: {
      typing: async () => {
        typed += 1
        await new Promise(setImmediate)
        await rig.clock.sleep(1000)
      },
    },
  })
  await rig.clock.advance(5500)
  expect(typed).toBe(2)
})

test('the end waits for its mark, and two minutes for room for it', async () => {
  const place = { platform: 'talk', account: 'bot', conversation: 'ann' }
  let goOn = (): void => undefined
  const slowly = async (_: unknown, mood: string): Promise<void> => {
    if (mood === 'done') await new Promise<void>((resolve) => (goOn = resolve))
  }
  const slow = open({ methods: { react: slowly } })
  const ended: string[] = []
  const ending = slow.work.end('done').then(() => ended.push('slow'))
  await slow.clock.advance(0)
  expect(ended).toEqual([])
  goOn()
  await ending
  const held = open()
  await held.clock.advance(0)
  held.patience.ask(place, 3_600_000)
  const waiting = held.work.end('done').then(() => ended.push('held'))
  await held.clock.advance(119_999)
  expect(ended).toEqual(['slow'])
  await held.clock.advance(1)
  await held.clock.advance(0)
  expect(ended).toEqual(['slow', 'held'])
  await waiting
  expect(held.shown).not.toContain('m1 done')
})

test('the mark of the end comes after the first one, however long that takes', async () => {
  const marks: string[] = []
  let onSeen = (): void => undefined
  const seen = new Promise<void>((resolve) => (onSeen = resolve))
  const react = async (_: unknown, mood: string): Promise<void> => {
    if (mood === 'seen') await seen
    marks.push(mood)
  }
  const { work } = open({ methods: { react } })
  const ended = work.end('done')
  await new Promise((resolve) => setImmediate(resolve))
  expect(marks).toEqual([])
  onSeen()
  await ended
  expect(marks).toEqual(['seen', 'done'])
})

test('where a platform asks for patience nothing is shown, and a mark that stands there is finished when there is room', async () => {
  const place = { platform: 'talk', account: 'bot', conversation: 'ann' }
  const { work, clock, shown, patience } = open()
  await clock.advance(1)
  patience.ask(place, 10_000)
  await clock.advance(8000)
  const ending = work.end('done')
  await clock.advance(60_000)
  expect(shown).toEqual(['m1 seen', 'typing in ann'])
  await clock.advance(10_000)
  await ending
  expect(shown.at(-1)).toBe('m1 done')
})

test('a mark counts for what its account may still say, and typing is no answer', async () => {
  const { clock, shown } = open({ limits: { budget: { burst: 1, everyMs: 60_000 } } })
  await clock.advance(4000)
  expect(shown).toEqual(['m1 seen'])
  await clock.advance(60_000)
  expect(shown).toContain('typing in ann')
})

test('a mark that never stood there is left out, and what is limited asks for patience', async () => {
  const limited = fail('SEND_REFUSED', { platform: 'Talk', detail: 'slow down' }, { retryAfterMs: 9000 })
  const place = { platform: 'talk', account: 'bot', conversation: 'ann' }
  const typing = open({ wants: { typing: true, reactions: false }, methods: { typing: () => Promise.reject(limited) } })
  await typing.clock.advance(1)
  expect(typing.patience.until(place)).toBe(typing.clock.now() - 1 + 9000)
  const { work, clock, shown, patience } = open({ wants: { typing: false, reactions: true }, held: true })
  await clock.advance(1)
  expect(patience.hasRoom(place)).toBe(false)
  await work.end('done')
  expect(shown).toEqual([])
})
