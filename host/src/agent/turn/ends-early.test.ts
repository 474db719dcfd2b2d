import type { ModelEvent } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { callEvent, end, hello, text, usage, world } from './testing/turn-world.ts'

test.each<[string, readonly ModelEvent[], readonly string[]]>([
  ['that ends early before it says more', [], ['Let me look.', '[ended early: failed]']],
  ['that ends early in the middle of its answer', [text('It is h')], ['Let me look.', 'It is h\n[ended early: failed]']],
])('of a turn %s each word is kept once', async (_how, before, kept) => {
  const error = toWireError(fail('MODEL_BILLING', { provider: 'script', detail: 'no credit' }))
  const { run, commits } = world([
    [text('Let me look.'), callEvent('a'), end('tool-calls')],
    [...before, { type: 'failed', class: 'billing', error }],
  ])
  await run()
  expect(saidIn(commits)).toEqual(kept)
})

test('words that came with a call which was cut off are kept once', async () => {
  const cut: ModelEvent = { type: 'end', reason: 'length', usage }
  const { run, commits } = world([
    [text('One.'), callEvent('a', 'echo', '{"x'), cut],
    [text('Two.'), callEvent('b', 'echo', '{"x'), cut],
  ])
  await run()
  expect(saidIn(commits)).toEqual(['One.', 'Two.', '[ended early: length]'])
})

const saidIn = (commits: ReturnType<typeof world>['commits']): readonly string[] =>
  commits
    .flatMap(({ messages }) => messages)
    .flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))

test('an interrupt before the first word leaves a word of it alone', async () => {
  const stop = new AbortController()
  async function* speak(): AsyncIterable<ModelEvent> {
    stop.abort(fail('INTERRUPTED'))
    yield { type: 'failed', class: 'unknown', error: toWireError(fail('INTERRUPTED')) }
  }
  const { run, commits } = world([speak])
  await run(hello, stop.signal)
  expect(commits[0]?.messages[1]).toEqual({ role: 'assistant', parts: [{ type: 'text', text: '[interrupted]' }] })
})
