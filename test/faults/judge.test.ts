import { expect, test } from 'vitest'
import { missingMark } from '../../host/src/gateway/outbound/send-doubt.ts'
import { judgeLane, type Lane } from './judge.ts'
import { apology, rightAnswers } from './right-answer.ts'
import type { StoredMessage } from './stored.ts'
import type { Arrival } from './vendor.ts'

const said = (id: string, text = `note ${id}`) => ({ id, conversation: 'c', text })
const answerTo = (text: string): string => rightAnswers(text, false)[0] ?? ''
/** An answer in one part for each state. */
const stored = (id: string, ...states: string[]): StoredMessage => {
  const words = answerTo(`note ${id}`).split(' ')
  const size = Math.ceil(words.length / Math.max(1, states.length))
  const parts = states.map((state, part) => ({ part, state, text: words.slice(part * size, (part + 1) * size).join(' '), attempts: 1 }))
  return { id, conversation: 'c', text: `note ${id}`, state: 'answered', parts }
}
const arrival = (answers: string, part = 0, parts = 1): Arrival => {
  const text = stored(answers, ...Array.from({ length: parts }, () => 'sent')).parts[part]?.text ?? ''
  return { answers, part, conversation: 'c', text }
}
const judge = (lane: Partial<Lane>) =>
  judgeLane({
    ...{ platform: 'p', keys: false, accepted: [said('1'), said('2')], lines: [], crashes: new Map() },
    ...{ stored: [stored('1', 'sent'), stored('2', 'sent')], arrivals: [arrival('1'), arrival('2')], ...lane },
  })
const ends = { right: 0, wrong: 0, givenUp: 0, givenUpUnexplained: 0, unknown: 0, lost: 0, marks: 0, doubles: 0, outOfOrder: 0 }

test('an answer that arrived whole is right', () => {
  const lane = {
    stored: [stored('1', 'sent', 'sent'), stored('2', 'sent')],
    arrivals: [arrival('1', 0, 2), arrival('1', 1, 2), arrival('2')],
  }
  expect(judge(lane)).toMatchObject({ ...ends, accepted: 2, right: 2, details: [] })
})

test('the right answer to another message is wrong, stored or arrived', () => {
  const swapped = [
    { ...stored('1', 'sent'), parts: stored('2', 'sent').parts },
    { ...stored('2', 'sent'), parts: stored('1', 'sent').parts },
  ]
  expect(judge({ stored: swapped })).toMatchObject({ right: 0, wrong: 2 })
  expect(judge({ arrivals: [arrival('1'), { ...arrival('2'), text: arrival('1').text }] })).toMatchObject({ right: 1, wrong: 1 })
})

test('an answer elsewhere, one to nothing, and a message that nobody said are wrong', () => {
  expect(judge({ arrivals: [arrival('1'), { ...arrival('2'), conversation: 'd' }] })).toMatchObject({ right: 1, wrong: 1 })
  expect(judge({ arrivals: [arrival('1'), arrival('2'), arrival('3')] })).toMatchObject({ right: 2, wrong: 1 })
  expect(judge({ stored: [stored('1', 'sent'), stored('2', 'sent'), stored('3', 'sent')] })).toMatchObject({ right: 2, wrong: 1 })
})

test('a message is given up at the third crash with it in work, neither before nor later', () => {
  const givenUp = { ...stored('1'), state: 'failed', parts: [{ part: 0, state: 'sent', text: apology, attempts: 1 }] }
  const lane = { stored: [givenUp, stored('2', 'sent')], arrivals: [{ ...arrival('1'), text: apology }, arrival('2')] }
  const crashed = (times: number) => ({ crashes: new Map([['1', times]]) })
  expect(judge({ ...lane, ...crashed(3) })).toMatchObject({ ...ends, right: 1, givenUp: 1, details: [] })
  expect(judge({ ...lane, ...crashed(2) })).toMatchObject({ right: 1, givenUp: 0, givenUpUnexplained: 1 })
  expect(judge(crashed(3))).toMatchObject({ right: 1, wrong: 1 })
  expect(judge({ ...lane, ...crashed(3), stored: [{ ...stored('1', 'sent'), state: 'failed' }, stored('2', 'sent')] })).toMatchObject({
    wrong: 1,
  })
  expect(judge({ stored: [{ ...givenUp, state: 'answered' }, stored('2', 'sent')], arrivals: lane.arrivals })).toMatchObject({ wrong: 1 })
})

test('a part that was sent and did not arrive, and a message without an answer, are lost', () => {
  expect(judge({ stored: [stored('1', 'sent', 'sent')], arrivals: [arrival('1', 0, 2)] })).toMatchObject({ ...ends, lost: 2 })
  expect(judge({ stored: [{ ...stored('1'), state: 'dropped' }, stored('2', 'sent')], arrivals: [arrival('2')] })).toMatchObject({
    lost: 1,
  })
})

test('an unknown part may have arrived or not, and a message that is open still is lost', () => {
  const lane = { stored: [stored('1', 'unknown'), stored('2', 'unknown', 'pending')], arrivals: [arrival('1')] }
  expect(judge(lane)).toMatchObject({ ...ends, unknown: 1, unknownParts: 2, lost: 1 })
})

test('a mark is no answer, and comes once for each answer with unknown parts', () => {
  const marked = { ...arrival('1'), text: missingMark }
  const lane = { stored: [stored('1', 'unknown'), stored('2', 'sent')] }
  expect(judge({ ...lane, arrivals: [arrival('1'), arrival('2'), marked] })).toMatchObject({ ...ends, unknown: 1, right: 1, marks: 1 })
  expect(judge({ ...lane, arrivals: [arrival('1'), arrival('2'), marked, marked] })).toMatchObject({
    wrong: 1,
    right: 1,
    unknown: 1,
    marks: 2,
  })
  expect(judge({ arrivals: [arrival('1'), arrival('2'), marked] })).toMatchObject({ wrong: 1, right: 2 })
  const unnamed = { ...marked, answers: undefined }
  expect(judge({ ...lane, arrivals: [arrival('1'), arrival('2'), unnamed] })).toMatchObject({ wrong: 0, unknown: 1, marks: 1 })
  expect(judge({ arrivals: [arrival('1'), arrival('2'), unnamed] })).toMatchObject({ wrong: 1, right: 2 })
  expect(judge({ arrivals: [arrival('1'), arrival('2'), { ...marked, answers: '3' }] })).toMatchObject({ wrong: 2, right: 2 })
  const parts = { stored: [stored('1', 'unknown', 'unknown'), stored('2', 'sent')] }
  const own = [arrival('1', 0, 2), arrival('2'), marked]
  expect(judge({ ...parts, arrivals: own })).toMatchObject({ ...ends, unknown: 1, right: 1, unknownParts: 2, marks: 1 })
  expect(judge({ ...parts, arrivals: [...own, marked] })).toMatchObject({ wrong: 1, marks: 2 })
  expect(judge({ ...parts, arrivals: [...own, { ...marked, answers: '2' }] })).toMatchObject({ wrong: 1, marks: 2 })
})

test('a second arrival is a double, a late one is out of order, a repeated line is a tool that ran twice', () => {
  const lane = { arrivals: [arrival('2'), arrival('1'), arrival('2')], lines: ['a', 'b', 'a'] }
  expect(judge(lane)).toMatchObject({ right: 2, doubles: 1, outOfOrder: 1, toolsTwice: 1 })
})

test('a tool that was cut off may say so where its message was in work at a kill, and nowhere else', () => {
  const text = 'run echo a | tee -a lines.txt then stream 2 tokens'
  expect(rightAnswers(text, false)).toEqual(['offline-1 offline-2terminal answered: a That is all. (offline model)'])
  expect(rightAnswers(text, true)).toHaveLength(2)
  expect(() => rightAnswers('dance', false)).toThrow('dance')
})
