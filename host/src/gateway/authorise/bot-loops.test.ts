import type { InboundMessage } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createBotLoops } from './bot-loops.ts'

const messageOf = (sender: string, room: string, account = 'me'): InboundMessage => ({
  ...{ id: 'm', account, text: 'hello', addressed: true },
  conversation: { id: room, kind: 'channel' },
  sender: { id: sender, isBot: true },
})

function open() {
  const clock = createFakeClock()
  const loops = createBotLoops(clock.now)
  /** How many of so many messages are let in. */
  const say = (times: number, sender = 'bot', room = sender, platform = 'far', account = 'me'): number => {
    let admitted = 0
    for (let n = 0; n < times; n++) if (loops.admit(platform, messageOf(sender, room, account))) admitted++
    return admitted
  }
  return { clock, say }
}

test('twenty messages of one bot in a minute are answered, and then none for a minute', async () => {
  const { clock, say } = open()
  expect(say(25)).toBe(20)
  await clock.advance(59_999)
  expect(say(1, 'bot', 'another room')).toBe(0)
  await clock.advance(1)
  expect(say(1, 'bot', 'a third room')).toBe(1)
})

test('twenty of all bots of a room in five minutes are answered, and then none for ten', async () => {
  const { clock, say } = open()
  let admitted = 0
  for (let bot = 0; bot < 25; bot++) admitted += say(1, `bot ${bot}`, 'room')
  expect(admitted).toBe(20)
  await clock.advance(599_999)
  expect(say(1, 'late', 'room')).toBe(0)
  await clock.advance(1)
  expect(say(1, 'later', 'room')).toBe(1)
})

test('who writes slowly is never held up: what is older than a minute, of a room than five, is forgotten', async () => {
  const { clock, say } = open()
  let admitted = 0
  for (let n = 0; n < 60; n++) {
    admitted += say(1)
    await clock.advance(15_000)
  }
  expect(admitted).toBe(60)
})

test('a pause is not made longer by what comes meanwhile', async () => {
  const { clock, say } = open()
  say(21, 'bot', 'a')
  for (let n = 0; n < 5; n++) {
    await clock.advance(11_000)
    expect(say(1, 'bot', `b${n}`)).toBe(0)
  }
  await clock.advance(5_000)
  expect(say(1, 'bot', 'c')).toBe(1)
})

test('bots, rooms, accounts and platforms are counted apart', () => {
  const { say } = open()
  expect(say(21, 'one', 'a')).toBe(20)
  expect(say(20, 'two', 'b')).toBe(20)
  expect(say(20, 'one', 'a', 'near')).toBe(20)
  expect(say(20, 'one', 'a', 'far', 'other')).toBe(20)
})

test('of two thousand counters the one that was used last is kept', () => {
  const { say } = open()
  expect(say(19, 'known', 'room of it')).toBe(19)
  for (let n = 0; n < 900; n++) say(1, `bot ${n}`, `room ${n}`)
  say(1, 'known', 'room of it')
  for (let n = 0; n < 900; n++) say(1, `more ${n}`, `more rooms ${n}`)
  expect(say(1, 'known', 'room of it')).toBe(0)
  for (let n = 0; n < 1_100; n++) say(1, `again ${n}`, `again rooms ${n}`)
  expect(say(1, 'known', 'room of it')).toBe(1)
})
