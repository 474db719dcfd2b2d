import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readMessage } from './inbound.ts'
import { type Channel, type Post, parseFrame, readPost, readPosted, type User } from './wire.ts'

const frame = parseFrame(readFileSync(new URL('../fixtures/posted.json', import.meta.url), 'utf8'))
const fixture = readPost(JSON.parse(readPosted(frame?.data)?.post ?? '')) as Post
const self: User = { id: 'agent000000000000000000000', username: 'agent' }
const ann: User = { id: 'ann00000000000000000000000', username: 'ann', is_bot: false }
const town: Channel = { id: 'town0000000000000000000000', type: 'O', display_name: 'Town Square' }
const direct: Channel = { id: 'direct00000000000000000000', type: 'D', display_name: '' }
const settings = { autoThread: true, directAutoThread: false }

function read(post: Partial<Post>, channel: Channel | undefined = town, author: User | undefined = ann, more: object = {}) {
  const whole = { id: 'p', create_at: 5, user_id: ann.id, channel_id: channel?.id ?? 'c', message: 'hi', ...post }
  return readMessage(whole, { channel, author }, { self, settings: { ...settings, ...more } })
}

test('a post of a thread is read with its author, its file and the names in it', () => {
  expect(readMessage(fixture, { channel: town, author: ann }, { self, settings })).toEqual({
    id: '8ba1ypbi5fbx7gd4ykmjjjfm4h',
    account: self.id,
    conversation: { id: `${town.id}/zq8x1n5mt3gr8xk6wy3m7o4hne`, kind: 'thread', parent: town.id, name: 'Town Square' },
    sender: { id: ann.id, name: 'ann', aliases: ['ann'], isBot: false },
    text: 'tell @bob what this is',
    addressed: true,
    mentions: { self: true, others: true },
    media: [{ id: '6x5y8kcyqbrhbq3t5hcbw5f5hr', kind: 'image', mime: 'image/png', name: 'dot.png', bytes: 120 }],
    sentAt: 1_772_619_330_123,
  })
})

test.each<[string, string, boolean, boolean]>([
  ['@agent hello', 'hello', true, false],
  ['@Agent: hello', 'hello', true, false],
  ['hello @agent', 'hello', true, false],
  ['hello, @agent, and @ann.', 'hello, , and @ann.', true, true],
  ['@agent /new', '/new', true, false],
  ['@agents hello', '@agents hello', false, true],
  ['@all and @here', '@all and @here', false, false],
  ['mail agent@agent.test', 'mail agent@agent.test', false, false],
  ['see `@agent`', 'see `@agent`', false, false],
  [':wave: hello', ':wave: hello', false, false],
])('%j says %j', (message, text, own, others) => {
  const said = read({ message })
  expect(said?.addressed).toBe(own)
  expect(said?.mentions).toEqual({ self: own, others })
  if (!message.includes('`')) expect(said?.text).toBe(text)
})

test.each<[string, Partial<Post>, Channel | undefined, object, object]>([
  ['a mention begins a thread', { message: '@agent hi' }, town, {}, { id: `${town.id}/p`, kind: 'thread', parent: town.id }],
  ['unless that is switched off', { message: '@agent hi' }, town, { autoThread: false }, { id: town.id, kind: 'channel' }],
  ['other words do not', {}, town, {}, { id: town.id, kind: 'channel' }],
  ['a direct message is one conversation', {}, direct, {}, { id: direct.id, kind: 'dm' }],
  ['or its own', {}, direct, { directAutoThread: true }, { id: `${direct.id}/p`, kind: 'dm' }],
  ['a direct thread is no room', { root_id: 'r' }, direct, {}, { id: `${direct.id}/r`, kind: 'dm' }],
  ['a group is a group', {}, { ...direct, type: 'G' }, {}, { id: direct.id, kind: 'group' }],
  ['what is not known is a channel', {}, undefined, {}, { kind: 'channel' }],
])('%s', (_what, post, channel, more, conversation) => {
  const author = ann
  const whole = { id: 'p', create_at: 5, user_id: ann.id, channel_id: channel?.id ?? 'c', message: 'hi', ...post }
  const said = readMessage(whole, { channel, author }, { self, settings: { ...settings, ...more } })
  expect(said).toMatchObject({ conversation, addressed: channel?.type === 'D' || post.message !== undefined })
})

test.each<[string, Partial<Post>]>([
  ['the bot itself', { user_id: self.id }],
  ['who joined', { type: 'system_join_channel' }],
  ['a post of a plugin', { type: 'custom_calls' }],
  ['a deleted post', { delete_at: 6, message: 'gone' }],
  ['an older form of a post', { original_id: 'q', delete_at: 6 }],
  ['a name and no word', { message: ' @agent ' }],
])('%s is no message', (_what, post) => {
  expect(read(post)).toBeUndefined()
})

test('programs are told as bots', () => {
  expect(read({ props: { from_webhook: 'true' } })?.sender.isBot).toBe(true)
  expect(read({ props: { from_bot: true } })?.sender.isBot).toBe(true)
  expect(read({}, town, { ...ann, is_bot: true })?.sender.isBot).toBe(true)
  expect(read({ props: null })?.sender.isBot).toBe(false)
  expect(readMessage({ ...fixture }, { channel: town, author: undefined }, { self, settings })?.sender).toEqual({
    id: ann.id,
    isBot: false,
  })
})

test('files have a kind and a name where the server tells', () => {
  const files = [
    { id: 'a', mime_type: 'video/mp4' },
    { id: 'b', mime_type: '' },
  ]
  expect(read({ message: '', metadata: { files } })?.media).toEqual([
    { id: 'a', kind: 'video', mime: 'video/mp4' },
    { id: 'b', kind: 'document', mime: 'application/octet-stream' },
  ])
})
