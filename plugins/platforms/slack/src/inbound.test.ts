import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { config } from './config.ts'
import { readSaid, readSlash } from './inbound.ts'
import { payloads } from './wire.ts'
import type { App, Workspace } from './workspaces.ts'

const people: Readonly<Record<string, string>> = { U0ANN: 'Ann', U0BOB: 'Bob' }
const workspace = { team: 'T0ONE', user: 'U0BOT', bot: 'B0BOT', findName: async (id: string) => people[id] } as unknown as Workspace

function app({ reply_in_thread = true, team = 'T0ONE' } = {}): App {
  return {
    find: (one: string) => (one === team ? workspace : undefined),
    learn: () => undefined,
    settings: config.parse({ reply_in_thread }),
  } as unknown as App
}

function frame(name: string, change: Record<string, unknown> = {}) {
  const envelope = JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')) as { payload: { event?: object } }
  return { ...envelope.payload, event: { ...envelope.payload.event, ...change } }
}

const read = (name: string, change: Record<string, unknown> = {}, given = app()) =>
  readSaid(payloads.event.parse(frame(name, change)), given)

test('a message of a channel says who, where and what, and is answered in a thread below it', async () => {
  expect(await read('message')).toEqual({
    id: 'T0ONE:C0ROOM:1700000001.000100',
    account: 'T0ONE',
    conversation: { id: 'C0ROOM/1700000001.000100', kind: 'thread', parent: 'C0ROOM' },
    sender: { id: 'U0ANN', name: 'Ann', isBot: false },
    text: 'ask @Bob about [the page](https://example.org/a?b=1&c=2) & #ops',
    addressed: true,
    mentions: { self: true, others: true },
    sentAt: 1_700_000_001_000,
  })
})

test('the mention of one message is the same message', async () => {
  expect(await read('app-mention')).toEqual(await read('message'))
})

test('where threads are not wanted the channel itself is answered', async () => {
  const { conversation } = (await read('message', {}, app({ reply_in_thread: false }))) ?? {}
  expect(conversation).toEqual({ id: 'C0ROOM', kind: 'channel' })
  const group = await read('message', { channel: 'G0THREE', channel_type: 'mpim' }, app({ reply_in_thread: false }))
  expect(group?.conversation.kind).toBe('group')
})

test('in a thread below our words we are addressed, and ! begins a command', async () => {
  expect(await read('thread-reply')).toMatchObject({
    conversation: { id: 'C0ROOM/1700000001.000100', kind: 'thread', parent: 'C0ROOM' },
    addressed: true,
    mentions: { self: false, others: false },
    text: '/stop now',
  })
  expect(await read('thread-reply', { parent_user_id: 'U0BOB' })).toMatchObject({ addressed: false })
})

test.each(['!', '!!', '! stop', '!?', 'stop!'])('%j in a thread is no command', async (text) => {
  expect((await read('thread-reply', { text }))?.text).toBe(text)
})

test('outside of threads ! is what was written', async () => {
  expect((await read('message', { text: '!important' }))?.text).toBe('!important')
})

test('files are told, and lie where they are', async () => {
  expect(await read('file-share')).toMatchObject({
    conversation: { id: 'D0ANN', kind: 'dm' },
    addressed: true,
    text: '',
    media: [
      { id: 'T0ONE/F0PNG', kind: 'image', mime: 'image/png', name: 'dot.png', bytes: 68 },
      { id: 'T0ONE/F0MP4', kind: 'voice', mime: 'audio/mp4' },
      { id: 'T0ONE/F0GONE', kind: 'document', mime: 'application/octet-stream' },
    ],
  })
})

test('another bot is a bot', async () => {
  expect(await read('bot-message')).toMatchObject({ sender: { id: 'B0CI', name: 'CI', isBot: true }, addressed: false })
})

test.each<[string, string, Record<string, unknown>]>([
  ['an edit', 'message-changed', {}],
  ['a join', 'message', { subtype: 'channel_join' }],
  ['what is hidden', 'message', { hidden: true }],
  ['our own words', 'message', { user: 'U0BOT' }],
  ['our own words as an app', 'bot-message', { bot_id: 'B0BOT' }],
  ['nobody', 'message', { user: null }],
  ['nothing at all', 'bot-message', { text: '' }],
])('%s is no message', async (_what, name, change) => {
  expect(await read(name, change)).toBeUndefined()
})

test('a bare mention is a message without words', async () => {
  expect(await read('app-mention', { text: '<@U0BOT>' })).toMatchObject({ text: '', addressed: true })
})

test('in a workspace without a token of ours nothing is said to us', async () => {
  expect(await read('message', {}, app({ team: 'T0TWO' }))).toMatchObject({ account: 'T0ONE', addressed: false, mentions: { self: false } })
  expect(await read('file-share', {}, app({ team: 'T0TWO' }))).toMatchObject({ addressed: false })
})

test('a message of a shared channel counts for the workspace in which we are', async () => {
  const payload = { ...frame('message'), team_id: 'T0FAR' }
  expect(await readSaid(payloads.event.parse(payload), app())).toMatchObject({ account: 'T0ONE', addressed: true })
})

test.each([
  [{ command: '/agent', text: 'stop' }, '/stop'],
  [{ command: '/agent', text: '/new idea' }, '/new idea'],
  [{ command: '/agent', text: '' }, '/agent'],
  [{ command: '/model', text: 'small ' }, '/model small'],
  [{ command: '/new', text: null }, '/new'],
])('the command %j is the text %j', (change, text) => {
  const slash = payloads.slash.parse({ ...frame('slash-command'), ...change })
  expect(readSlash(slash, app())).toMatchObject({
    text,
    addressed: true,
    conversation: { id: 'C0ROOM', kind: 'channel', name: 'room' },
    sender: { id: 'U0ANN', name: 'ann', isBot: false },
  })
})

test('a command in a direct message is direct, and in an unknown workspace not for us', () => {
  const slash = payloads.slash.parse({ ...frame('slash-command'), channel_id: 'D0ANN', channel_name: 'directmessage' })
  expect(readSlash(slash, app()).conversation).toEqual({ id: 'D0ANN', kind: 'dm' })
  expect(readSlash(slash, app({ team: 'T0TWO' })).addressed).toBe(false)
})
