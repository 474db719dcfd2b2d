import type { Connection, PlatformManifest } from '@agent/plugin-sdk'
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
  readonly stop: AbortController
}

function open({
  wants = { typing: true, reactions: true },
  methods = {},
  held = false,
  limits = {},
}: {
  wants?: { typing: boolean; reactions: boolean }
  methods?: Partial<Connection>
  /** The platform has asked for patience before. */
  held?: boolean
  limits?: Partial<PlatformManifest['limits']>
} = {}): Rig {
  const shown: string[] = []
  const spec = talkSpec({ capabilities: { typing: true, react: true }, limits: { typingMs: 2000, ...limits } })
  const connection = talkConnection(spec, {
    typing: async (conversation) => void shown.push(`typing in ${conversation}`),
    react: async ({ id }, mood) => void shown.push(`${id} ${mood}`),
    ...methods,
  })
  const clock = createFakeClock()
  const stop = new AbortController()
  const message = { account: 'bot', conversation: 'ann', id: 'm1' }
  const { patience } = reaching(spec, connection, clock.now)
  if (held) patience.ask({ platform: 'talk', account: 'bot', conversation: 'ann' }, 10_000)
  const work = showWork({ message, spec, connection: () => connection, patience, wants, clock, log: silentLog }, stop.signal)
  return { work, clock, shown, stop, patience }
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
  const broken = async (): Promise<never> => {
    throw new Error('no')
  }
  const { work, clock } = open({ methods: { typing: broken, react: broken } })
  await clock.advance(5000)
  await work.end('done')
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
