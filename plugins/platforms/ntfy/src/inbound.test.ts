import { expect, test } from 'vitest'
import { readMessage } from './inbound.ts'
import { formatMark } from './mark.ts'
import type { NtfyEvent } from './wire.ts'

const read = (event: Partial<NtfyEvent>) =>
  readMessage({ id: 'wze9zgqK41ab', time: 1638542110, event: 'message', ...event }, { account: 'ntfy.sh/t', topic: 't' })

test('what is said on the topic is said by the topic', () => {
  expect(read({ message: 'hello', tags: ['robot', 'agent-smith'] })).toEqual({
    id: 'wze9zgqK41ab',
    account: 'ntfy.sh/t',
    conversation: { id: 't', kind: 'dm', name: 't' },
    sender: { id: 't', isBot: false },
    text: 'hello',
    addressed: true,
    sentAt: 1638542110000,
  })
})

test.each([
  ['a title is text and no name', { title: 'Ann, the owner', message: 'hello' }, 'Ann, the owner\nhello'],
  ['a title alone is enough', { title: 'Disk full', message: ' ' }, 'Disk full'],
  [
    'a file is named',
    { message: 'You received a file: a.txt', attachment: { name: 'a.txt', url: 'https://x.test/a' } },
    'You received a file: a.txt\n(attached: a.txt, https://x.test/a)',
  ],
])('%s', (_what, event, text) => {
  expect(read(event)?.text).toBe(text)
})

test.each<[string, Partial<NtfyEvent>]>([
  ['a sign of life', { event: 'keepalive' }],
  ['the beginning', { event: 'open' }],
  ['a request to poll', { event: 'poll_request', message: 'New message' }],
  ['what newer servers add', { event: 'message_delete', message: 'x' }],
  ['bytes', { message: 'AAEC', encoding: 'base64' }],
  ['nothing', { message: ' \n' }],
  ['our own words', { message: 'an answer', tags: ['x', formatMark('our-salt', 'in:1:0')] }],
  ['the words of another agent', { message: 'an answer', tags: [formatMark('their-salt', 'in:1:0')] }],
])('%s is not for the agent', (_what, event) => {
  expect(read(event)).toBeUndefined()
})

test('a mark depends on who sends and on what', () => {
  const marks = new Set([formatMark('a', 'in:1:0'), formatMark('a', 'in:1:1'), formatMark('b', 'in:1:0')])
  expect(marks.size).toBe(3)
  expect(formatMark('a', 'in:1:0')).toBe(formatMark('a', 'in:1:0'))
})
