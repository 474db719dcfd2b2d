import type { Connection } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { talkConnection, talkSpec } from '../testing/talk.ts'
import { showWork, type Work } from './show-work.ts'

interface Rig {
  readonly work: Work
  readonly clock: FakeClock
  readonly shown: string[]
  readonly stop: AbortController
}

function open({
  wants = { typing: true, reactions: true },
  methods = {},
}: {
  wants?: { typing: boolean; reactions: boolean }
  methods?: Partial<Connection>
} = {}): Rig {
  const shown: string[] = []
  const spec = talkSpec({ capabilities: { typing: true, react: true }, limits: { typingMs: 2000 } })
  const connection = talkConnection(spec, {
    typing: async (conversation) => void shown.push(`typing in ${conversation}`),
    react: async ({ id }, mood) => void shown.push(`${id} ${mood}`),
    ...methods,
  })
  const clock = createFakeClock()
  const stop = new AbortController()
  const message = { account: 'bot', conversation: 'ann', id: 'm1' }
  const work = showWork({ message, spec, connection: () => connection, wants, clock, log: silentLog }, stop.signal)
  return { work, clock, shown, stop }
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
