import { readFileSync } from 'node:fs'
import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { readMessage, readPress } from './inbound.ts'
import { parseUpdate, type Update } from './wire.ts'

const updates: Record<string, unknown> = JSON.parse(readFileSync(new URL('../fixtures/updates.json', import.meta.url), 'utf8'))
const self = { id: 42, is_bot: true, first_name: 'Agent', username: 'agent_bot' }
const commandOf = (name: string): string => (name === 'reload_tools' ? 'reload-tools' : name)

const update = (name: string): Update => parseUpdate(updates[name]) as Update

function read(name: string, more: object = {}): InboundMessage | undefined {
  const { message } = update(name)
  if (!message) throw new Error(`${name} is no message`)
  return readMessage({ ...message, ...more }, { self, commandOf })
}

test('what somebody says alone with the bot is said to it', () => {
  expect(read('private')).toEqual({
    id: '1111111:1365',
    account: '42',
    conversation: { id: '1111111', kind: 'dm', name: 'Grace' },
    sender: { id: '1111111', name: 'Grace Miles', aliases: ['@grace_m'], isBot: false },
    text: '/start-up is a path, /status is not',
    addressed: true,
    mentions: { self: false, others: false },
    sentAt: 1_768_435_200_000,
  })
})

test('a mention addresses the bot whatever its letters, and is taken off; others stay', () => {
  expect(read('mention')).toMatchObject({
    conversation: { id: '-1001234567890', kind: 'group', name: 'Garden' },
    text: '🌱 , water @paul_k too',
    addressed: true,
    mentions: { self: true, others: true },
  })
})

test('without a name the bot is not addressed in a group', () => {
  expect(read('mention', { text: 'water @paul_k too', entities: [{ type: 'mention', offset: 6, length: 7 }] })).toMatchObject({
    text: 'water @paul_k too',
    addressed: false,
    mentions: { self: false, others: true },
  })
})

test('people without a user name are mentioned by their id', () => {
  const named = (id: number) => ({ text: 'Agent help', entities: [{ type: 'text_mention', offset: 0, length: 5, user: { ...self, id } }] })
  expect(read('mention', named(42))).toMatchObject({ text: 'help', addressed: true })
  expect(read('mention', named(43))).toMatchObject({ text: 'Agent help', addressed: false, mentions: { self: false, others: true } })
})

test('a topic is a thread of its group, and its opening is no reply', () => {
  const message = read('topic')
  expect(message).toMatchObject({
    conversation: { id: '-1001234567890/55', kind: 'thread', parent: '-1001234567890', name: 'Roses' },
    addressed: false,
  })
  expect(message).not.toHaveProperty('replyTo')
})

test('the topic General is the group, however it is named', () => {
  expect(read('topic', { message_thread_id: 1 })?.conversation).toMatchObject({ id: '-1001234567890', kind: 'group' })
  expect(read('topic', { message_thread_id: undefined, is_topic_message: undefined })?.conversation.id).toBe('-1001234567890')
})

test('a reply to the bot addresses it, in no separate thread, with what was quoted', () => {
  expect(read('reply')).toMatchObject({
    conversation: { id: '-1001234567890', kind: 'group' },
    addressed: true,
    mentions: { self: false, others: false },
    replyTo: { id: '-1001234567890:79', text: 'Or ladybirds.', sender: '42' },
  })
})

test('a command for the bot loses its name and is read as the agent calls it', () => {
  expect(read('command')).toMatchObject({ text: '/reload-tools now', addressed: true, mentions: { self: true, others: false } })
  expect(read('foreignCommand')).toMatchObject({ text: '/help@other_bot', addressed: false, mentions: { self: false, others: true } })
})

test('who speaks as the group is the group and no bot', () => {
  expect(read('anonymous')?.sender).toEqual({ id: '-1001234567890', name: 'Garden', isBot: false })
})

test.each([
  ['photo', { id: 'AgACAgIAAxk-large', kind: 'image', mime: 'image/jpeg', bytes: 104_231 }, 'what is this?'],
  ['voice', { id: 'AwACAgIAAxk', kind: 'voice', mime: 'audio/ogg', bytes: 9012 }, ''],
  ['animation', { id: 'CgACAgQ', kind: 'video', mime: 'video/mp4', name: 'cat.mp4', bytes: 30_021 }, ''],
])('a %s comes with what is needed to fetch it', (name, attachment, text) => {
  expect(read(name)).toMatchObject({ media: [attachment], text })
})

test.each([
  [{ document: { file_id: 'd', mime_type: 'image/png', file_name: '../x.png' } }, { id: 'd', kind: 'image', mime: 'image/png' }],
  [{ document: { file_id: 'd' } }, { id: 'd', kind: 'document', mime: 'application/octet-stream' }],
  [{ sticker: { file_id: 's', is_video: true, emoji: '🌱' } }, { id: 's', kind: 'sticker', mime: 'video/webm', name: '🌱' }],
  [{ video_note: { file_id: 'n' } }, { id: 'n', kind: 'video', mime: 'video/mp4' }],
])('%j is told as %j', (more, attachment) => {
  expect(read('voice', { voice: undefined, ...more })?.media).toEqual([expect.objectContaining(attachment)])
})

test('a place is said in words', () => {
  expect(read('voice', { voice: undefined, location: { latitude: 48.2, longitude: 16.4 } })?.text).toBe('(location: 48.2, 16.4)')
})

test('joins, our own words and what has no sender are not messages', () => {
  expect(read('join')).toBeUndefined()
  expect(read('private', { from: self })).toBeUndefined()
  expect(read('private', { from: undefined })).toBeUndefined()
})

test('another bot is told as one', () => {
  expect(read('private', { from: { ...self, id: 5 } })?.sender).toMatchObject({ id: '5', isBot: true })
})

test('a pressed button says by whom and where; of an old message nobody knows', () => {
  const { callback_query: query } = update('press')
  expect(query && readPress(query, '42')).toEqual({
    account: '42',
    conversation: { id: '-1001234567890/55', kind: 'thread', parent: '-1001234567890', name: 'Garden' },
    sender: { id: '1111111', name: 'Grace', aliases: ['@grace_m'], isBot: false },
    button: 'ask_1:0',
  })
  const { callback_query: old } = update('oldPress')
  expect(old && readPress(old, '42')).toBeUndefined()
})
