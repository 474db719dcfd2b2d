import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { talkSpec } from '../testing/talk.ts'
import { createPatience } from './patience.ts'

const ann = { platform: 'talk', account: 'bot', conversation: 'ann' }
const ben = { ...ann, conversation: 'ben' }

function open(budget?: { burst: number; everyMs: number }, name = 'budget') {
  const clock = createFakeClock()
  const spec = talkSpec({ limits: budget ? { [name]: budget } : {} })
  return { clock, patience: createPatience({ catalog: { find: () => ({ spec }) }, clock }) }
}

test('a conversation that is to be left alone gets no answer until then, and no mark for a minute more', async () => {
  const { clock, patience } = open()
  expect(patience.hasRoom(ann)).toBe(true)
  const asked = clock.now()
  patience.ask(ann, 5000)
  patience.ask(ann, 1000)
  expect([patience.until(ann), patience.hasRoom(ann)]).toEqual([asked + 5000, false])
  expect([patience.until(ben), patience.hasRoom(ben)]).toEqual([0, true])
  await clock.advance(64_999)
  expect(patience.hasRoom(ann)).toBe(false)
  await clock.advance(1)
  expect(patience.hasRoom(ann)).toBe(true)
})

test('where a platform has a budget half of it is kept for answers, and time fills it again', async () => {
  const { clock, patience } = open({ burst: 4, everyMs: 1000 })
  for (const place of [ann, ben]) {
    expect(patience.hasRoom(place)).toBe(true)
    patience.spend(place)
  }
  expect([patience.hasRoom(ann), patience.hasRoom({ ...ann, account: 'other' })]).toEqual([false, true])
  await clock.advance(1000)
  expect(patience.hasRoom(ann)).toBe(true)
  // Who asks for patience has nothing left, whatever was counted.
  patience.ask(ann, 0)
  expect(patience.hasRoom(ben)).toBe(false)
  await clock.advance(2000)
  expect(patience.hasRoom(ben)).toBe(false)
  await clock.advance(1000)
  expect(patience.hasRoom(ben)).toBe(true)
})

test('where a platform counts each conversation one that has said much leaves the others their room', async () => {
  const { clock, patience } = open({ burst: 4, everyMs: 1000 }, 'conversationBudget')
  for (let n = 0; n < 2; n++) patience.spend(ann)
  expect([patience.hasRoom(ann), patience.hasRoom(ben)]).toEqual([false, true])
  await clock.advance(1000)
  expect(patience.hasRoom(ann)).toBe(true)
})

test('conversations whose time is over are forgotten', async () => {
  const { clock, patience } = open()
  for (let n = 0; n < 1000; n++) patience.ask({ ...ann, conversation: `${n}` }, 1)
  await clock.advance(120_000)
  patience.ask(ann, 5000)
  expect([patience.until({ ...ann, conversation: '1' }), patience.until(ann)]).toEqual([0, clock.now() + 5000])
})

test('what a slow budget has given is not forgotten while few speak, and what was given just now not among a thousand others', async () => {
  const { clock, patience } = open({ burst: 4, everyMs: 100_000 }, 'conversationBudget')
  for (let n = 0; n < 3; n++) patience.spend(ann)
  await clock.advance(61_000)
  expect(patience.hasRoom(ann)).toBe(false)
  for (let n = 0; n < 1000; n++) patience.spend({ ...ann, conversation: `${n}` })
  expect(patience.hasRoom(ann)).toBe(false)
})

test('a thousand others do not end the rest that somebody has asked for', () => {
  const { clock, patience } = open()
  patience.ask(ann, 5000)
  for (let n = 0; n < 1001; n++) patience.ask({ ...ann, conversation: `${n}` }, 5000)
  expect(patience.until(ann)).toBe(clock.now() + 5000)
})

test('a platform that is gone has no budget', () => {
  const patience = createPatience({ catalog: { find: () => undefined }, clock: { now: () => 0 } })
  patience.spend(ann)
  expect(patience.hasRoom(ann)).toBe(true)
})
