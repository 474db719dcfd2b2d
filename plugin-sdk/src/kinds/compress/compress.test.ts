import { expect, test } from 'vitest'
import type { ModelMessage } from '../../contract/model.ts'
import { estimateTokens, findCompressedMisfit } from './compress.ts'

const user = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
const answer = (text: string): ModelMessage => ({ role: 'assistant', parts: [{ type: 'text', text }] })
const step = (...ids: readonly string[]): readonly [ModelMessage, ModelMessage] => [
  { role: 'assistant', parts: ids.map((id) => ({ type: 'call', id, name: 'look', args: '{}' })) },
  { role: 'tool', results: ids.map((id) => ({ id, name: 'look', ok: true, text: 'seen' })) },
]
const [call, result] = step('a', 'b')
const asked = [user('one'), call, result, answer('done'), user('two')]
const working = [user('one'), answer('done'), user('two'), ...step('c')]

test.each<[string, readonly ModelMessage[], readonly ModelMessage[]]>([
  ['itself', asked, asked],
  [
    'notes before the last words',
    asked,
    [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'notes' },
          { type: 'text', text: 'two' },
        ],
      },
    ],
  ],
  ['the last step of a turn', working, [user('two'), ...step('c')]],
  ['a person who speaks after results', [user('one'), call, result, user('two')], [user('one'), call, result, user('two')]],
])('%s can be said to a model', (_what, before, messages) => {
  expect(findCompressedMisfit(before, { messages })).toBeUndefined()
})

test.each<[readonly ModelMessage[], unknown, string]>([
  [asked, undefined, 'it has no list messages'],
  [asked, { messages: [null] }, 'messages[0] is no message of a user, an assistant or a tool'],
  [asked, { messages: [{ role: 'user', parts: [] }] }, 'messages[0] is no message of a user, an assistant or a tool'],
  [asked, { messages: [] }, 'it has no messages'],
  [asked, { messages: [answer('done'), user('two')] }, 'messages[0] of assistant stands after nothing'],
  [asked, { messages: [user('one'), user('two')] }, 'messages[1] of user stands after user'],
  [asked, { messages: [user('one'), result, user('two')] }, 'messages[1] of tool stands after user'],
  [asked, { messages: [user('one'), call, user('two')] }, 'messages[2] has not exactly the results of the calls before it'],
  [asked, { messages: [user('one'), call, step('a')[1], user('two')] }, 'messages[2] has not exactly the results of the calls before it'],
  [asked, { messages: [user('one'), answer('done')] }, 'it ends with a message of assistant, and ended with one of user'],
  [asked, { messages: [user('three')] }, 'the last message of the person does not stand in it word for word'],
  [working, { messages: [user('two'), ...step('d')] }, 'it lacks the last results'],
  [[user('one'), call], { messages: [user('one'), call] }, 'its last call has no result'],
])('%# what cannot be said to a model is named', (before, compressed, problem) => {
  expect(findCompressedMisfit(before, compressed)).toBe(problem)
})

test('tokens are counted by letters, and a picture by what most services count', () => {
  expect(estimateTokens('abcdefgh')).toBe(3)
  expect(estimateTokens('日本語')).toBe(4)
  const url = `data:image/png;base64,${'A'.repeat(100_000)}`
  expect(estimateTokens([{ role: 'user', parts: [{ type: 'image', url }] }])).toBeLessThan(1700)
  expect(estimateTokens(undefined)).toBe(0)
})
