import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatTitle, type Receiver, readActor, readCommand, readMessage } from './inbound.ts'
import { type Channel, read, type WireMessage, wire } from './wire.ts'

const load = (name: string): unknown =>
  (JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')) as { d: unknown }).d
const fixture = read(wire.message, load('message-create')) as WireMessage
const me = '1100000000000000900'
const general: Channel = { id: '1200000000000000701', type: 0, name: 'general', guild_id: '1200000000000000700' }
const receiver: Receiver = { account: me, isOwnRole: (id) => id === '799', opensThread: () => true }
const ann = { id: '501', username: 'ann' }

function say(more: Partial<WireMessage>, channel: Channel | undefined = general) {
  const said = { id: '42', type: 0, channel_id: general.id, author: ann, content: 'hi', timestamp: 'never', ...more }
  return readMessage(said, channel, receiver)
}

test('a reply is read with its author, its file, the names in it and what it answers', () => {
  expect(readMessage(fixture, general, receiver)).toEqual({
    id: '1345678901234567890',
    account: me,
    conversation: { id: general.id, kind: 'channel', name: '#general' },
    sender: { id: '1100000000000000501', name: 'Ann of the Lab', aliases: ['ann'], roles: ['1200000000000000750'], isBot: false },
    text: 'yes, and tell @Bob :thumb:',
    addressed: true,
    mentions: { self: true, others: true },
    replyTo: { id: '1345678901234567001', text: 'Shall I?', sender: me },
    media: [
      {
        id: '1200000000000000701/1345678901234567890/1345678901234567891',
        kind: 'image',
        mime: 'image/png',
        name: 'dot.png',
        bytes: 120,
      },
    ],
    sentAt: Date.UTC(2026, 2, 4, 10, 15, 30, 123),
  })
})

test('a mention in a channel goes to the thread that it will begin', () => {
  const mention = { content: `<@${me}> what is new?\nTell me.`, mentions: [{ id: me, username: 'agent' }] }
  const conversation = { id: `${general.id}/42`, kind: 'thread', parent: general.id, name: 'what is new?' }
  expect(say(mention)).toMatchObject({ conversation, text: 'what is new?\nTell me.', addressed: true })
  expect(say({ ...mention, content: `<@!${me}> /new` })).toMatchObject({ conversation: { id: general.id }, text: '/new' })
  expect(say({ ...mention, type: 19 })).toMatchObject({ conversation: { id: general.id } })
  expect(readMessage({ ...fixture, type: 0 }, general, { ...receiver, opensThread: () => false })?.conversation.id).toBe(general.id)
})

test('the role of the bot is as good as its name', () => {
  expect(say({ content: '<@&799> you', mention_roles: ['799'] })).toMatchObject({ addressed: true, text: 'you' })
  expect(say({ content: '<@&798> you', mention_roles: ['798'] })).toMatchObject({ addressed: false, text: '<@&798> you' })
})

test.each<[string, Channel | undefined, object]>([
  ['a thread', { id: '9', type: 11, name: 'plans', parent_id: '8' }, { id: '8/9', kind: 'thread', parent: '8', name: 'plans' }],
  ['a direct conversation', { id: '9', type: 1 }, { id: '9', kind: 'dm', name: 'ann' }],
  ['a group', { id: '9', type: 3 }, { id: '9', kind: 'group' }],
  ['an unknown channel', undefined, { id: general.id, kind: 'dm', name: 'ann' }],
])('what is said in %s is said there', (_what, channel, conversation) => {
  expect(readMessage({ ...fixture, guild_id: undefined, author: ann, member: undefined } as never, channel, { ...receiver })).toMatchObject(
    {
      conversation,
    },
  )
})

test.each<[string, Partial<WireMessage>]>([
  ['ourselves', { author: { id: me, username: 'agent', bot: true } }],
  ['who joined', { type: 7 }],
  ['what was pinned', { type: 6 }],
  ['the copy that begins a thread', { type: 21 }],
  ['nothing', { content: '  ' }],
  ['a name and no word', { content: `<@${me}>`, mentions: [{ id: me, username: 'agent' }] }],
])('%s is no message', (_what, more) => {
  expect(say(more)).toBeUndefined()
})

test('bots and hooks are told as bots', () => {
  expect(say({ author: { ...ann, bot: true } })?.sender.isBot).toBe(true)
  expect(say({ webhook_id: '7' })?.sender.isBot).toBe(true)
  expect(say({})?.sender).toEqual({ id: '501', name: 'ann', aliases: ['ann'], isBot: false })
})

test('what was forwarded counts as said, and a spoken message is one', () => {
  expect(say({ content: '', message_snapshots: [{ message: { content: 'old words' } }] })).toMatchObject({
    text: 'old words',
    addressed: false,
  })
  const attachments = [{ id: '1', filename: 'voice.ogg', size: 9, url: 'https://x.test/', content_type: 'audio/ogg' }]
  expect(say({ content: '', attachments, flags: 1 << 13 })?.media).toMatchObject([{ id: `${general.id}/42/1`, kind: 'voice' }])
  expect(say({ attachments: [{ id: '1', filename: 'a', size: 9, url: '' }] })?.media).toMatchObject([
    { kind: 'document', mime: 'application/octet-stream' },
  ])
})

test('a title is one line, short, and never empty', () => {
  expect(formatTitle(` ${'é'.repeat(90)}\nx`)).toBe('é'.repeat(80))
  expect(formatTitle('\n')).toBe('Conversation')
})

test('a command of the menu is text, and a button has somebody who pressed it', () => {
  const command = read(wire.interaction, load('interaction-command'))
  expect(command && readCommand(command, undefined, me)).toEqual({
    id: 'command-1345678901234568002',
    account: me,
    conversation: { id: '1200000000000000710', kind: 'dm', name: 'ann' },
    sender: { id: '1100000000000000501', name: 'ann', aliases: ['ann'], isBot: false },
    text: '/model gpt-5',
    addressed: true,
  })
  const button = read(wire.interaction, load('interaction-button'))
  expect(button && readActor(button, general)).toMatchObject({
    sender: { id: '1100000000000000501', name: 'Ann', roles: ['1200000000000000750'] },
    conversation: { id: general.id, kind: 'channel' },
  })
  expect(button && readActor({ ...button, member: undefined } as never, general)).toBeUndefined()
})
