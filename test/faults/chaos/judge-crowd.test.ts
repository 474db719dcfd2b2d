import { expect, test } from 'vitest'
import type { StoredMessage } from '../stored.ts'
import { judgeCrowd } from './judge-crowd.ts'

const stored = (id: string, state = 'answered', ...parts: readonly string[]): StoredMessage => ({
  ...{ id, conversation: 'c', text: `note ${id}`, state },
  parts: parts.map((one, part) => ({ part, state: one })),
})
const judge = (said: readonly string[], heard: readonly string[], messages: readonly StoredMessage[], keeps = true) =>
  judgeCrowd({ platform: 'x', keeps, conversations: [{ said, heard: heard.map((words) => `You said: note ${words}`) }], stored: messages })

test('every message has its one answer, in order', () => {
  expect(judge(['a', 'b'], ['a', 'b'], [stored('a', 'answered', 'sent'), stored('b', 'answered', 'sent')])).toEqual({
    ...{ platform: 'x', said: 2, accepted: 2, answeredOnce: 2, givenUp: 0, unknown: 0, doubles: 0, lost: 0, outOfOrder: 0 },
    details: [],
  })
})

test('what is lost, doubled or out of order is found', () => {
  const both = [stored('a', 'answered', 'sent'), stored('b', 'answered', 'sent')]
  expect(judge(['a', 'b'], ['b', 'a'], both)).toMatchObject({ answeredOnce: 2, outOfOrder: 1 })
  expect(judge(['a', 'b'], ['a', 'a', 'b'], both)).toMatchObject({ doubles: 1, details: [expect.stringContaining('a: heard 2 times')] })
  expect(judge(['a', 'b'], ['a'], both)).toMatchObject({ answeredOnce: 1, lost: 1 })
  expect(judge(['a'], [], [])).toMatchObject({ lost: 1, accepted: 0 })
  expect(judge(['a'], [], [], false)).toMatchObject({ lost: 0, accepted: 0, said: 1 })
  expect(judge(['a'], [], [stored('a', 'answered', 'failed')])).toMatchObject({ lost: 1 })
  expect(judge(['a'], [], [stored('a', 'accepted')])).toMatchObject({ lost: 1 })
})

test('what is unknown or given up is no loss', () => {
  expect(judge(['a'], [], [stored('a', 'answered', 'unknown')])).toMatchObject({ unknown: 1, lost: 0 })
  expect(judge(['a'], ['a'], [stored('a', 'answered', 'unknown')])).toMatchObject({ unknown: 1, doubles: 0 })
  expect(judge(['a'], [], [stored('a', 'failed', 'sent')])).toMatchObject({ givenUp: 1, lost: 0 })
})
