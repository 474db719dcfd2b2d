import type { ModelEvent, ModelRequest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { openService } from '../test/service.ts'
import { streamAnswer } from './stream-answer.ts'

const call = { id: 'call_1', signal: new AbortController().signal, deadline: 1000 }

async function ask(model: string, key = 'right-key'): Promise<readonly ModelEvent[]> {
  await using service = await openService('right-key')
  const request: ModelRequest = { model, system: '', session: 'ses_1', messages: [], tools: [] }
  const events: ModelEvent[] = []
  for await (const event of streamAnswer({ url: service.url, key: async () => key, fetch }, request, call)) events.push(event)
  return events
}

test('an answer is told as it comes and ends with its tokens', async () => {
  expect(await ask('text')).toEqual([
    { type: 'text', delta: 'Hello.' },
    { type: 'end', reason: 'stop', usage: { input: 3, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 } },
  ])
})

test.each([
  ['a wrong key', 'text', 'wrong-key', 'auth'],
  ['a failure of the service', 'failing', 'right-key', 'server_error'],
  ['an answer that breaks off', 'cut', 'right-key', 'disconnected'],
])('%s is the last event, with its class', async (_name, model, key, kind) => {
  expect((await ask(model, key)).at(-1)).toMatchObject({ type: 'failed', class: kind })
})
