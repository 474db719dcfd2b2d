import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createOverheard } from './overheard.ts'

const said = (text: string, more: Partial<InboundMessage> = {}): InboundMessage => ({
  ...{ id: text, account: 'bot', conversation: { id: 'room', kind: 'group' }, sender: { id: 'ann', isBot: false } },
  ...{ text, addressed: false, media: [], ...more },
})
const textsOf = (messages: readonly InboundMessage[]) => messages.map(({ text }) => text)

test('what was said in a room is taken once, in order, as far as it matters', () => {
  const overheard = createOverheard()
  expect(overheard.take('talk', said(''))).toEqual([])
  for (const text of ['one', 'two']) overheard.add('talk', said(text))
  const { media: _media, ...rest } = said('one')
  const [first, second] = overheard.take('talk', said(''))
  expect([first, second?.text]).toEqual([rest, 'two'])
  expect(overheard.take('talk', said(''))).toEqual([])
})

test('rooms, accounts and platforms stay apart', () => {
  const overheard = createOverheard()
  overheard.add('talk', said('here'))
  overheard.add('talk', said('there', { conversation: { id: 'elsewhere', kind: 'group' } }))
  overheard.add('talk', said('second', { account: 'second' }))
  overheard.add('irc', said('irc'))
  expect(textsOf(overheard.take('talk', said('')))).toEqual(['here'])
})

test('fifty messages of a room are kept, and a thousand characters of each', () => {
  const overheard = createOverheard()
  for (let n = 0; n < 51; n++) overheard.add('talk', said(`${n}`.padEnd(1_100, '.')))
  const kept = overheard.take('talk', said(''))
  expect([kept.length, kept[0]?.text.slice(0, 2), kept[0]?.text.length]).toEqual([50, '1.', 1_000])
})

test('of more than two hundred rooms the one is forgotten in which nobody has spoken for the longest time', () => {
  const overheard = createOverheard()
  const roomOf = (n: number) => ({ conversation: { id: `${n}`, kind: 'group' } }) as const
  for (let n = 0; n < 200; n++) overheard.add('talk', said('early', roomOf(n)))
  overheard.add('talk', said('again', roomOf(0)))
  expect(textsOf(overheard.take('talk', said('', roomOf(199))))).toEqual(['early'])
  overheard.add('talk', said('late', roomOf(199)))
  overheard.add('talk', said('late', roomOf(200)))
  expect(textsOf(overheard.take('talk', said('', roomOf(1))))).toEqual([])
  expect(textsOf(overheard.take('talk', said('', roomOf(0))))).toEqual(['early', 'again'])
  expect(textsOf(overheard.take('talk', said('', roomOf(2))))).toEqual(['early'])
})
