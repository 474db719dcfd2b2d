import type { ModelEvent } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { createStopper } from './stop-words.ts'
import { callEvent, end, text, usage } from './testing/turn-world.ts'

async function heard(stops: readonly string[], ...events: readonly ModelEvent[]): Promise<readonly ModelEvent[]> {
  const all: ModelEvent[] = []
  const from = async function* () {
    yield* events
  }
  for await (const event of createStopper(stops).read(from())) all.push(event)
  return all
}

test('what is said ends before the first of the texts, also where it comes in pieces, and then only the end is heard', async () => {
  const stopped: ModelEvent = { type: 'end', reason: 'stop', usage }
  expect(await heard(['END', 'STOP'], text('one E'), text('ND two'), callEvent('a'), text('STOP'), end('tool-calls'))).toEqual([
    text('one '),
    stopped,
  ])
  expect(await heard(['END', 'STOP'], text('STOP END'), end())).toEqual([stopped])
})

test('a failure after the end of the words is heard', async () => {
  const failed: ModelEvent = { type: 'failed', class: 'unknown', error: toWireError(fail('INTERRUPTED')) }
  expect(await heard(['END'], text('one END'), callEvent('a'), failed)).toEqual([text('one '), failed])
})

test('what only begins like one of the texts is said when something else comes', async () => {
  expect(await heard(['END'], text('one E'), text('N'), text('d')), 'another letter').toEqual([text('one '), text('ENd')])
  expect(await heard(['END'], text('one EN'), callEvent('a'), end())).toEqual([text('one '), text('EN'), callEvent('a'), end()])
})
