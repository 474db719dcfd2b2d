import type { ModelEvent } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { openReader } from './reader.ts'
import { end, hello, text, typesOf, world } from './testing/turn-world.ts'

const pieces = 1_000

/** An answer of 10 MB, and how much of it was asked for. */
function longAnswer() {
  let said = 0
  async function* say(): AsyncIterable<ModelEvent> {
    for (; said < pieces; said++) yield text('x'.repeat(10_000))
    yield end()
  }
  return { say, said: () => said }
}

const turnsOver = async (): Promise<void> => {
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
}

test('a reader that pauses holds the model back, and gets everything when it goes on', async () => {
  const answer = longAnswer()
  const { turns } = world([answer.say], [], { clock: createFakeClock() })
  const reader = turns.run(hello, createCall(new AbortController().signal))[Symbol.asyncIterator]()
  await reader.next()
  await turnsOver()
  expect(answer.said()).toBeLessThan(100)
  let deltas = 0
  for (let next = await reader.next(); !next.done; next = await reader.next()) if (next.value.type === 'message.delta') deltas++
  expect(deltas).toBe(pieces)
})

test('a reader that does not read has left: its turn is interrupted and stored', async () => {
  const answer = longAnswer()
  const clock = createFakeClock()
  const { turns, commits } = world([answer.say], [], { clock })
  const events = turns.run(hello, createCall(new AbortController().signal))
  await turnsOver()
  await clock.advance(120_000)
  await turns.settled()
  expect(answer.said()).toBeLessThan(100)
  expect(commits).toHaveLength(1)
  const told = []
  for await (const event of events) told.push(event)
  expect(typesOf(told).at(-1)).toBe('message.complete')
  expect(told.at(-1)).toMatchObject({ status: 'interrupted' })
})

test('a caller that gives up frees a turn that waits for its reader', async () => {
  const { turns } = world([longAnswer().say], [], { clock: createFakeClock() })
  const gone = new AbortController()
  turns.run(hello, createCall(gone.signal))
  await turnsOver()
  gone.abort()
  await turns.settled()
  expect(turns.activity().running).toBe(0)
})

test('what a caller gives up after the end concerns the turn no more', () => {
  const caller = new AbortController()
  const reader = openReader(createCall(caller.signal), createFakeClock())
  reader.end()
  caller.abort()
  expect(reader.signal.aborted).toBe(false)
})
