import { expect, test } from 'vitest'
import { bot } from '../test/matrix-store.ts'
import { readEvent } from './inbound.ts'
import type { Session } from './session.ts'

const answered = {
  type: 'm.room.message',
  sender: bot,
  event_id: '$old',
  origin_server_ts: 1,
  content: { msgtype: 'm.text', body: 'my words' },
}

function session({ direct = false, autoThread = true, processNotices = false } = {}): Session {
  return {
    user: bot,
    name: 'Agent',
    settings: { autoThread, processNotices },
    rooms: { describe: async () => ({ direct, name: direct ? undefined : 'Room' }), findName: async () => 'Ann' },
    api: { find: async (_schema: unknown, path: string) => (path.endsWith('%24old') ? answered : undefined) },
    life: { signal: new AbortController().signal },
  } as unknown as Session
}

const toUs = { 'm.mentions': { user_ids: [bot] } }
const read = (content: Record<string, unknown>, given = session(), type = 'm.room.message') =>
  readEvent(
    '!room:test',
    { type, sender: '@ann:test', event_id: '$1', origin_server_ts: 5, content: { msgtype: 'm.text', ...content } },
    given,
  )

test('a message says who, where and what, and is answered in a thread below it', async () => {
  expect(await read({ body: 'Agent: hello', ...toUs })).toEqual({
    id: '$1',
    account: bot,
    conversation: { id: '!room:test/$1', kind: 'thread', parent: '!room:test', name: 'Room' },
    sender: { id: '@ann:test', name: 'Ann', isBot: false },
    text: 'hello',
    addressed: true,
    mentions: { self: true, others: false },
    sentAt: 5,
  })
})

test.each<[string, Parameters<typeof session>[0], Record<string, unknown>, object]>([
  ['without threads', { autoThread: false }, {}, { id: '!room:test', kind: 'group', name: 'Room' }],
  ['a direct room', { direct: true }, {}, { id: '!room:test', kind: 'dm' }],
  [
    'a thread',
    {},
    { 'm.relates_to': { rel_type: 'm.thread', event_id: '$root' } },
    { id: '!room:test/$root', kind: 'thread', parent: '!room:test' },
  ],
  [
    'a thread of a direct room',
    { direct: true },
    { 'm.relates_to': { rel_type: 'm.thread', event_id: '$root' } },
    { id: '!room:test/$root', kind: 'thread' },
  ],
])('%s is a conversation', async (_what, given, more, conversation) => {
  expect((await read({ body: 'x', ...more }, session(given)))?.conversation).toMatchObject(conversation)
})

test.each([
  ['Agent, do it', 'do it'],
  ['@agent:test: do it', 'do it'],
  ['@Agent do it', 'do it'],
  ['agent do it', 'do it'],
  ['Agents are many', 'Agents are many'],
  ['ask @agent:test about it', 'ask  about it'],
  ['hello Agent', 'hello Agent'],
])('%j to us says %j', async (body, text) => {
  expect((await read({ body, ...toUs }))?.text).toBe(text)
})

test('what is said to others is not changed', async () => {
  expect(await read({ body: 'Agent Smith', 'm.mentions': { user_ids: ['@smith:test'] } })).toMatchObject({
    text: 'Agent Smith',
    addressed: false,
    mentions: { self: false, others: true },
  })
})

test('clients that name nobody show it in the text', async () => {
  const link = '<a href="https://matrix.to/#/@agent:test">Agent</a>: hi'
  expect(await read({ body: 'Agent: hi', formatted_body: link })).toMatchObject({ addressed: true, text: 'hi' })
  expect(await read({ body: 'hi' })).toMatchObject({ addressed: false })
  expect(await read({ body: `hi ${bot}` })).toMatchObject({ addressed: true })
  expect(await read({ body: `of ${bot}`, 'm.mentions': {} })).toMatchObject({ addressed: false })
})

test('an answer to us is for us, and the quotation is taken off', async () => {
  const relation = { 'm.relates_to': { 'm.in_reply_to': { event_id: '$old' } } }
  expect(await read({ body: '> <@agent:test> my words\n> more\n\nno', 'm.mentions': {}, ...relation })).toMatchObject({
    text: 'no',
    addressed: true,
    replyTo: { id: '$old', sender: bot, text: 'my words' },
  })
  const unknown = { 'm.relates_to': { 'm.in_reply_to': { event_id: '$gone' } } }
  expect(await read({ body: 'no', 'm.mentions': {}, ...unknown })).toMatchObject({ addressed: false, replyTo: { id: '$gone' } })
})

test('the last message of a thread is not what is answered', async () => {
  const relation = { rel_type: 'm.thread', event_id: '$root', is_falling_back: true, 'm.in_reply_to': { event_id: '$old' } }
  const message = await read({ body: 'no', 'm.mentions': {}, 'm.relates_to': relation })
  expect(message).toMatchObject({ addressed: false })
  expect(message?.replyTo).toBeUndefined()
})

test.each([
  ['!new idea', '/new idea'],
  ['!stop', '/stop'],
  ['!', '!'],
  ['! stop', '! stop'],
  ['!?', '!?'],
])('%j is the text %j', async (body, text) => {
  expect((await read({ body }, session({ direct: true })))?.text).toBe(text)
})

test.each<[string, Record<string, unknown>, object]>([
  [
    'a picture',
    { msgtype: 'm.image', body: 'dot.png', url: 'mxc://test/1', info: { mimetype: 'image/png', size: 9 } },
    { text: '', media: [{ id: 'mxc://test/1', kind: 'image', mime: 'image/png', name: 'dot.png', bytes: 9 }] },
  ],
  [
    'a picture with words',
    { msgtype: 'm.image', body: 'look', filename: 'dot.png', url: 'mxc://test/1' },
    { text: 'look', media: [{ name: 'dot.png', mime: 'application/octet-stream' }] },
  ],
  ['a voice', { msgtype: 'm.audio', body: 'v.ogg', url: 'mxc://test/1', 'org.matrix.msc3245.voice': {} }, { media: [{ kind: 'voice' }] }],
  ['a file', { msgtype: 'm.file', body: 'a.pdf', url: 'mxc://test/1' }, { media: [{ kind: 'document' }] }],
  ['a place', { msgtype: 'm.location', body: 'Here', geo_uri: 'geo:1,2' }, { text: 'Here' }],
  ['an action', { msgtype: 'm.emote', body: 'waves' }, { text: '* Ann waves' }],
])('%s is told', async (_what, content, message) => {
  expect(await read(content)).toMatchObject(message)
})

test('a sticker is told, a file from elsewhere or an encrypted one is not fetched', async () => {
  expect(await read({ body: 'Yay', url: 'mxc://test/1', msgtype: undefined }, session(), 'm.sticker')).toMatchObject({
    media: [{ kind: 'sticker' }],
  })
  expect((await read({ msgtype: 'm.image', body: 'x.png', url: 'https://elsewhere.example/x.png' }))?.media).toBeUndefined()
  expect((await read({ msgtype: 'm.image', body: 'x.png', file: { url: 'mxc://test/1', key: {} } }))?.media).toBeUndefined()
})

test.each<[string, Record<string, unknown>]>([
  ['an edit', { body: '* x', 'm.relates_to': { rel_type: 'm.replace', event_id: '$0' } }],
  ['what a bot notes', { msgtype: 'm.notice', body: 'x' }],
  ['a verification', { msgtype: 'm.key.verification.request', body: 'x' }],
  ['what was taken back', { msgtype: undefined }],
])('%s is no message', async (_what, content) => {
  expect(await read(content)).toBeUndefined()
})

test('what a bot notes is read where that is wanted, and comes from a bot', async () => {
  const given = session({ processNotices: true })
  expect(await read({ msgtype: 'm.notice', body: 'x' }, given)).toMatchObject({ sender: { isBot: true } })
  expect(await read({ msgtype: 'm.notice', body: '* x', 'm.relates_to': { rel_type: 'm.replace', event_id: '$0' } }, given)).toBeUndefined()
})
