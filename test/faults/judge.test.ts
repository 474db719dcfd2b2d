import { expect, test } from 'vitest'
import { judgeLane, type Lane } from './judge.ts'
import type { StoredMessage } from './stored.ts'
import type { Arrival } from './vendor.ts'

const stored = (id: string, ...states: string[]): StoredMessage => ({
  ...{ id, conversation: 'c', text: id, state: 'answered' },
  parts: states.map((state, part) => ({ part, state })),
})
const arrival = (answers: string, part = 0): Arrival => ({ answers, part, conversation: 'c', text: '' })
const judge = (lane: Partial<Lane>) =>
  judgeLane({ platform: 'p', keys: false, accepted: ['1', '2'], stored: [], arrivals: [], lines: [], ...lane })

test('an answer that arrived whole is answered once', () => {
  const sound = { stored: [stored('1', 'sent', 'sent'), stored('2', 'sent')], arrivals: [arrival('1'), arrival('1', 1), arrival('2')] }
  expect(judge(sound)).toMatchObject({ accepted: 2, answeredOnce: 2, unknown: 0, doubles: 0, lost: 0, outOfOrder: 0 })
})

test('a part that was sent and did not arrive, and a message without an answer, are lost', () => {
  expect(judge({ stored: [stored('1', 'sent', 'sent')], arrivals: [arrival('1')] })).toMatchObject({ answeredOnce: 0, lost: 2 })
})

test('an unknown part may have arrived or not, and a message that is open still is lost', () => {
  const lane = { stored: [stored('1', 'unknown'), stored('2', 'unknown', 'pending')], arrivals: [arrival('1')] }
  expect(judge(lane)).toMatchObject({ unknown: 1, unknownParts: 2, lost: 1, doubles: 0 })
})

test('a second arrival is a double, a late one is out of order, a repeated line is a tool that ran twice', () => {
  const lane = {
    stored: [stored('1', 'sent'), stored('2', 'sent')],
    arrivals: [arrival('2'), arrival('1'), arrival('2')],
    lines: ['a', 'b', 'a'],
  }
  expect(judge(lane)).toMatchObject({ answeredOnce: 2, doubles: 1, outOfOrder: 1, toolsTwice: 1 })
})
