import { expect, test } from 'vitest'
import { missingMark } from '../../../host/src/gateway/outbound/send-doubt.ts'
import { apology, rightAnswers } from '../right-answer.ts'
import type { StoredMessage } from '../stored.ts'
import { type CrowdEvidence, judgeCrowd } from './judge-crowd.ts'

const answerTo = (words: string): string => rightAnswers(`note ${words}`, false)[0] ?? ''
const stored = (id: string, state = 'answered', ...parts: readonly string[]): StoredMessage => ({
  ...{ id, conversation: 'c', text: `note ${id}`, state },
  parts: parts.map((one, part) => ({ part, state: one, text: state === 'failed' ? apology : answerTo(id), attempts: 1 })),
})
const judge = (
  said: readonly string[],
  heard: readonly string[],
  messages: readonly StoredMessage[],
  more: Partial<CrowdEvidence> = {},
) => {
  const conversations = [{ said, heard: heard.map((words) => (words === apology || words === missingMark ? words : answerTo(words))) }]
  return judgeCrowd({ platform: 'x', keeps: true, conversations, stored: messages, crashes: new Map(), ...more })
}
const crashed = (id: string, times: number) => ({ crashes: new Map([[id, times]]) })

test('every message has its one answer, in order', () => {
  expect(judge(['a', 'b'], ['a', 'b'], [stored('a', 'answered', 'sent'), stored('b', 'answered', 'sent')])).toEqual({
    ...{ platform: 'x', said: 2, accepted: 2, right: 2, wrong: 0, givenUp: 0, givenUpUnexplained: 0 },
    ...{ unknown: 0, unknownParts: 0, marks: 0, leftPreviews: 0, doubles: 0, lost: 0, outOfOrder: 0, details: [] },
  })
})

test('what is lost, doubled or out of order is found', () => {
  const both = [stored('a', 'answered', 'sent'), stored('b', 'answered', 'sent')]
  expect(judge(['a', 'b'], ['b', 'a'], both)).toMatchObject({ right: 2, outOfOrder: 1 })
  expect(judge(['a', 'b'], ['a', 'a', 'b'], both)).toMatchObject({ doubles: 1, details: [expect.stringContaining('a: heard 2 times')] })
  expect(judge(['a', 'b'], ['a'], both)).toMatchObject({ right: 1, lost: 1 })
  expect(judge(['a'], [], [])).toMatchObject({ lost: 1, accepted: 0 })
  expect(judge(['a'], [], [], { keeps: false })).toMatchObject({ lost: 0, accepted: 0, said: 1 })
  expect(judge(['a'], [], [stored('a', 'answered', 'failed')])).toMatchObject({ lost: 1 })
  expect(judge(['a'], [], [stored('a', 'accepted')])).toMatchObject({ lost: 1 })
})

test('an answer to something else is wrong, and so is an apology that nothing calls for', () => {
  const one = [stored('a', 'answered', 'sent')]
  expect(judge(['a'], ['a', 'b'], one)).toMatchObject({ right: 1, wrong: 1 })
  expect(judge(['a'], ['a', apology], one)).toMatchObject({ right: 1, wrong: 1 })
  const other = { ...stored('a'), parts: [{ part: 0, state: 'sent', text: answerTo('b'), attempts: 1 }] }
  expect(judge(['a'], ['b'], [other])).toMatchObject({ right: 0, wrong: 2 })
})

test('the beginning of an answer that is still being written may stay, another text may not', () => {
  const conversations = (text: string) => ({ conversations: [{ said: ['a'], heard: [text, answerTo('a')] }] })
  const one = [stored('a', 'answered', 'sent')]
  expect(judge([], [], one, conversations('I am the offline ▉'))).toMatchObject({ right: 1, wrong: 0, leftPreviews: 1 })
  expect(judge([], [], one, conversations('I am another ▉'))).toMatchObject({ right: 1, wrong: 1, leftPreviews: 0 })
})

test('a mark is no answer, and comes once for each answer with unknown parts', () => {
  const unknown = [stored('a', 'answered', 'unknown')]
  expect(judge(['a'], ['a', missingMark], unknown)).toMatchObject({ unknown: 1, marks: 1, wrong: 0, details: [] })
  expect(judge(['a'], [missingMark, missingMark], unknown)).toMatchObject({ unknown: 1, marks: 2, wrong: 1 })
  expect(judge(['a'], ['a', missingMark], [stored('a', 'answered', 'sent')])).toMatchObject({ right: 1, marks: 1, wrong: 1 })
  const [found] = [stored('a', 'answered', 'sent')].map((one) => ({ ...one, parts: one.parts.map((part) => ({ ...part, attempts: 2 })) }))
  expect(judge(['a'], ['a', missingMark], found ? [found] : [])).toMatchObject({ right: 1, marks: 1, wrong: 0 })
  const parts = [stored('a', 'answered', 'unknown', 'unknown')]
  expect(judge(['a'], [missingMark, missingMark], parts)).toMatchObject({ unknownParts: 2, marks: 2, wrong: 2 })
})

test('a message may be unknown, and is given up after three kills with it in work', () => {
  expect(judge(['a'], [], [stored('a', 'answered', 'unknown')])).toMatchObject({ unknown: 1, lost: 0 })
  expect(judge(['a'], ['a'], [stored('a', 'answered', 'unknown')])).toMatchObject({ unknown: 1, doubles: 0 })
  const givenUp = [stored('a', 'failed', 'sent')]
  expect(judge(['a'], [apology], givenUp, crashed('a', 3))).toMatchObject({ givenUp: 1, wrong: 0, details: [] })
  expect(judge(['a'], [apology], givenUp, crashed('a', 2))).toMatchObject({ givenUp: 0, givenUpUnexplained: 1 })
  expect(judge(['a'], ['a'], [stored('a', 'answered', 'sent')], crashed('a', 3))).toMatchObject({ right: 0, wrong: 1 })
})
