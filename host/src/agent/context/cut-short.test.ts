import { estimateTokens, type ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { cutShort } from './cut-short.ts'

const user = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
const says = (text: string): ModelMessage => ({ role: 'assistant', parts: [{ type: 'text', text }] })
const calls = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  parts: ids.map((id) => ({ type: 'call', id, name: 'look', args: '{}' })),
})
const results = (text: string, ...ids: string[]): ModelMessage => ({
  role: 'tool',
  results: ids.map((id) => ({ id, name: 'look', ok: true, text })),
})
const shape = (messages: readonly ModelMessage[]): readonly string[] =>
  messages.map((message) => {
    if (message.role === 'tool') return `tool:${message.results.map(({ id, text }) => `${id}=${text.split('\n')[0]}`).join()}`
    return `${message.role}:${message.parts.map((part) => (part.type === 'text' ? part.text.slice(0, 11) : part.type)).join()}`
  })

const long = 'sea '.repeat(400)
const talk = [user(long), says(long), user('and now?'), calls('a'), results('blue', 'a'), says('Blue.'), calls('b'), results('green', 'b')]

test('as many of the last steps stay as fit, and a note stands for the rest', () => {
  const all = cutShort(talk, 100_000)
  expect(shape(all)).toEqual([
    'user:[Background',
    'assistant:sea sea sea',
    ...['user:and now?', 'assistant:call', 'tool:a=blue', 'assistant:Blue.', 'assistant:call', 'tool:b=green'],
  ])
  const fromTheWords = cutShort(talk, estimateTokens(all) - 1)
  expect(shape(fromTheWords).slice(0, 2)).toEqual(['user:[Background,and now?', 'assistant:call'])
  expect(fromTheWords).toHaveLength(6)
})

test('the last words of the person stay before what was done since, and a call keeps its result', () => {
  const fromTheWords = cutShort(talk, 500)
  // Exactly what fits is kept; one token less parts at the next step.
  expect(cutShort(talk, estimateTokens(fromTheWords))).toEqual(fromTheWords)
  const later = cutShort(talk, estimateTokens(fromTheWords) - 1)
  expect(shape(later)).toEqual(['user:[Background,and now?', 'assistant:Blue.', 'assistant:call', 'tool:b=green'])
  expect(shape(cutShort(talk, estimateTokens(later) - 1))).toEqual(['user:[Background,and now?', 'assistant:call', 'tool:b=green'])
})

test('where not even the last step fits, its results share what room there is', () => {
  const most = 20
  const step = [user('and now?'), calls('a', 'b'), results('x'.repeat(most), 'a', 'b'), user('?')].slice(0, 3)
  expect(shape(cutShort(step, most))).toEqual([
    'user:[Background,and now?',
    'assistant:call,call',
    `tool:a=${'x'.repeat(most)},b=${'x'.repeat(most)}`,
  ])
  const cut = cutShort(step, most - 1).at(-1)
  expect(cut).toEqual(results(`${'x'.repeat(most - 1)}\n[… cut here: the output was too long.]`, 'a', 'b'))
})

test('long last words stay whole, with what was answered before them left out', () => {
  expect(cutShort([user('one'), says('two'), user(long)], 10)).toEqual([
    {
      role: 'user',
      parts: [
        { type: 'text', text: expect.stringContaining('[Background') },
        { type: 'text', text: long },
      ],
    },
  ])
  expect(shape(cutShort([user('one'), says(long)], 10))).toEqual(['user:[Background,one', 'assistant:sea sea sea'])
})
