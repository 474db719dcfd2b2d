import { readFileSync } from 'node:fs'
import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { own } from '../test/signal-daemon.ts'
import { readMessage } from './inbound.ts'
import { parseEvent } from './wire.ts'

const events: Record<string, unknown> = JSON.parse(readFileSync(new URL('../fixtures/events.json', import.meta.url), 'utf8'))
const grace = 'c3a8b4a2-62ff-4f0e-9d5d-3f2d6c9f1a11'

function read(
  name: string,
  { isOwn = (_: number): boolean => false, uuid = own.uuid as string | undefined } = {},
): InboundMessage | undefined {
  const event = parseEvent(JSON.stringify(events[name]))
  if (!event) throw new Error(`${name} is no event`)
  return readMessage(event.envelope, { self: { number: own.number, uuid }, isOwn })
}

test('a person is known by the id, and by the number too where it is not hidden', () => {
  expect(read('direct')).toEqual({
    id: `${grace}:1768435200123`,
    account: own.number,
    conversation: { id: grace, kind: 'dm', name: 'Grace Miles' },
    sender: { id: grace, name: 'Grace Miles', aliases: ['+4366012345678'], isBot: false },
    text: 'good morning',
    addressed: true,
    mentions: { self: false, others: false },
    sentAt: 1_768_435_200_123,
  })
  expect(read('hiddenNumber')?.sender).toEqual({ id: grace, isBot: false })
})

test('a mention in a group addresses the bot and is taken off; others are named', () => {
  expect(read('groupMention')).toMatchObject({
    conversation: { id: 'Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI=', kind: 'group', name: 'Garden' },
    text: '🌱 , ask @+4366087654321 too',
    addressed: true,
    mentions: { self: true, others: true },
  })
  expect(read('groupMention', { uuid: undefined })?.addressed).toBe(true)
})

test('who quotes the bot speaks to it', () => {
  expect(read('groupQuote')).toMatchObject({
    addressed: true,
    mentions: { self: false, others: false },
    replyTo: { id: `${own.uuid}:1768435201500`, text: 'Use soap.', sender: own.uuid },
  })
})

test('files come without their bytes; sound without a name was spoken', () => {
  expect(read('files')).toMatchObject({
    text: '',
    media: [
      { id: 'Kq1.aac', kind: 'voice', mime: 'audio/aac', bytes: 9000 },
      { id: 'Zp2.jpg', kind: 'image', mime: 'image/jpeg', name: 'rose.jpg', bytes: 120_000 },
      { id: 'Xy3.pdf', kind: 'document', mime: 'application/pdf', name: 'plan.pdf', bytes: 5000 },
    ],
  })
})

test('a note to self is a message, unless the bot wrote it', () => {
  expect(read('note')).toMatchObject({ text: 'remember this', conversation: { id: own.uuid, kind: 'dm' }, addressed: true })
  expect(read('note', { isOwn: (timestamp) => timestamp === 1_768_435_204_000 })).toBeUndefined()
})

test('what is no message of somebody else is none, whatever is written in it', () => {
  const say = (more: object) =>
    parseEvent(JSON.stringify({ envelope: { sourceUuid: grace, dataMessage: { timestamp: 1, message: 'x', ...more } } }))
  const readAs = (event: ReturnType<typeof parseEvent>, from: object = {}) =>
    event && readMessage({ ...event.envelope, ...from }, { self: own, isOwn: () => false })
  expect(readAs(say({}))?.text).toBe('x')
  expect(readAs(say({ reaction: { emoji: '❤️' } }))).toBeUndefined()
  expect(readAs(say({ remoteDelete: { timestamp: 5 } }))).toBeUndefined()
  expect(readAs(say({}), { sourceUuid: own.uuid })).toBeUndefined()
  expect(readAs(say({}), { sourceUuid: null })).toBeUndefined()
})

test('sound with a name is a file', () => {
  const attachments = [{ id: 'a', contentType: 'audio/mpeg', filename: 'song.mp3' }, { id: 'b' }]
  const event = parseEvent(JSON.stringify({ envelope: { sourceUuid: grace, dataMessage: { timestamp: 1, attachments } } }))
  const { media } = (event && readMessage(event.envelope, { self: own, isOwn: () => false })) ?? {}
  expect(media?.map(({ kind, mime }) => [kind, mime])).toEqual([
    ['audio', 'audio/mpeg'],
    ['document', 'application/octet-stream'],
  ])
})

test.each(['sentToOther', 'reaction', 'receipt'])('%s says nothing to us', (name) => {
  expect(read(name)).toBeUndefined()
})
