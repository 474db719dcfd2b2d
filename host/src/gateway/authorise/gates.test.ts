import type { InboundMessage } from '@agent/plugin-sdk'
import { describe, expect, test } from 'vitest'
import { openEnvironment } from '#config/environment/environment.ts'
import { readPlatformSettings } from '#config/platform-settings.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import { compileMentionPatterns } from '../rules/mention-patterns.ts'
import { createBotLoops } from './bot-loops.ts'
import { type GateOptions, judge } from './gates.ts'

type Variables = Readonly<Record<string, string>>

const hello: InboundMessage = {
  id: '1',
  account: 'bot',
  conversation: { id: 'anna', kind: 'dm' },
  sender: { id: 'anna', isBot: false },
  text: 'hello',
  addressed: true,
}
const inGroup: InboundMessage = { ...hello, conversation: { id: '#room', kind: 'group' } }

function options(variables: Variables, change: Partial<GateOptions> = {}): GateOptions {
  const { settings } = readPlatformSettings({ config: defaultConfig, environment: openEnvironment(variables) }, 'some-chat')
  return {
    platform: 'some-chat',
    settings,
    patterns: compileMentionPatterns(settings.mention_patterns),
    variable: (name) => variables[name],
    isApproved: () => false,
    strangers: 'ignore',
    unknownSenders: 'pair',
    isEcho: false,
    admitBot: () => true,
    takesPart: () => false,
    ...change,
  }
}

const verdict = (variables: Variables, message: Partial<InboundMessage> = {}, change: Partial<GateOptions> = {}) =>
  judge({ ...hello, ...message }, options(variables, change))
const from = (id: string): Partial<InboundMessage> => ({ sender: { id, isBot: false } })

test('everyone is a stranger until listed', () => {
  expect(verdict({})).toBe('not-allowed')
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'bert, anna' })).toBe('pass')
  expect(verdict({ GATEWAY_ALLOWED_USERS: 'ANNA' })).toBe('pass')
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'annabel' })).toBe('not-allowed')
})

test('a switch or a star opens it to all, an empty list to nobody', () => {
  expect(verdict({ SOME_CHAT_ALLOW_ALL_USERS: 'true' })).toBe('pass')
  expect(verdict({ GATEWAY_ALLOW_ALL_USERS: '1' })).toBe('pass')
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: '*' })).toBe('pass')
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: ' , ', SOME_CHAT_ALLOW_ALL_USERS: 'false' })).toBe('not-allowed')
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'x' }, from(''))).toBe('not-allowed')
})

test('a name that only looks like a listed one in lower case is another name', () => {
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'kim' }, from('\u212Aim'))).toBe('not-allowed')
})

test('what the bot said itself is the first thing that is dropped, then what is said where it does not listen', () => {
  const everybody = { SOME_CHAT_ALLOWED_USERS: '*', SOME_CHAT_IGNORED_CHANNELS: '#room,anna', SOME_CHAT_ALLOWED_CHATS: '#other' }
  expect(verdict(everybody, inGroup, { isEcho: true })).toBe('echo')
  expect(verdict(everybody, inGroup)).toBe('elsewhere')
  expect(verdict(everybody, {})).toBe('elsewhere')
  expect(verdict({ ...everybody, SOME_CHAT_IGNORED_CHANNELS: '' }, {})).toBe('pass')
  expect(verdict({ ...everybody, SOME_CHAT_IGNORED_CHANNELS: '' }, inGroup)).toBe('elsewhere')
  const thread = { ...inGroup, conversation: { id: 't', kind: 'thread', parent: '#other' } } as const
  expect(verdict(everybody, thread)).toBe('pass')
})

describe('a bot', () => {
  const bot = { sender: { id: 'anna', isBot: true } }
  const listed = { SOME_CHAT_ALLOWED_USERS: 'anna' }

  test('is not answered, even a listed one, and never offered a code', () => {
    expect(verdict(listed, bot)).toBe('from-a-bot')
    expect(verdict({}, bot, { strangers: 'pair' })).toBe('not-allowed')
  })

  test('may be answered where it names us, or always; it has to be let in like everybody', () => {
    const mentions = { ...listed, SOME_CHAT_ALLOW_BOTS: 'mentions', SOME_CHAT_FREE_RESPONSE_CHANNELS: '#room' }
    expect(verdict(mentions, { ...inGroup, ...bot, addressed: false })).toBe('from-a-bot')
    expect(verdict(mentions, { ...inGroup, ...bot })).toBe('pass')
    const all = { ...mentions, SOME_CHAT_ALLOW_BOTS: 'all' }
    expect(verdict(all, { ...inGroup, ...bot, addressed: false })).toBe('pass')
    expect(verdict({ ...all, SOME_CHAT_BOTS_REQUIRE_MENTION: 'true' }, { ...inGroup, ...bot, addressed: false })).toBe('from-a-bot')
    expect(verdict({ SOME_CHAT_ALLOW_BOTS: 'all' }, { ...inGroup, ...bot })).toBe('not-allowed')
  })

  test('is left alone for a while after twenty messages in a minute; people are never counted', () => {
    let time = 0
    const loops = createBotLoops(() => time)
    const say = (message: Partial<InboundMessage>) =>
      verdict({ SOME_CHAT_ALLOWED_USERS: '*', SOME_CHAT_ALLOW_BOTS: 'all' }, message, {
        admitBot: (each) => loops.admit('some-chat', each),
      })
    const said = Array.from({ length: 22 }, () => say(bot))
    expect(said.filter((one) => one === 'pass')).toHaveLength(20)
    expect(said.slice(20)).toEqual(['bot-loop', 'bot-loop'])
    expect(Array.from({ length: 30 }, () => say({}))).toEqual(Array(30).fill('pass'))
    expect(say({ ...inGroup, sender: { id: 'other', isBot: true } })).toBe('pass')
    time = 60_000
    expect(say({ ...inGroup, ...bot })).toBe('pass')
    expect(say(bot)).toBe('bot-loop')
    time = 600_000
    expect(say(bot)).toBe('pass')
  })

  test('is counted while two thousand pairs and rooms were not heard after it', () => {
    const loops = createBotLoops(() => 0)
    const admit = (id: string) =>
      loops.admit('chat', {
        ...{ id: '1', account: 'us', text: '', addressed: true, conversation: { id: `room of ${id}`, kind: 'group' } },
        sender: { id, isBot: true },
      })
    const talk = (): boolean => Array.from({ length: 21 }, () => admit('bot')).every(Boolean)
    expect(talk()).toBe(false)
    for (let n = 0; n < 999; n++) admit(`${n}`)
    expect(admit('bot')).toBe(false)
    for (let n = 0; n < 1_000; n++) admit(`${n}`)
    expect(admit('bot')).toBe(true)
  })
})

describe('in a room', () => {
  const anna = { SOME_CHAT_ALLOWED_USERS: 'anna' }
  const unnamed = { ...inGroup, addressed: false }
  const inThread = { ...unnamed, conversation: { id: 't', kind: 'thread', parent: '#room' } } as const

  test('the bot has to be named: by the platform, or by a wake word', () => {
    expect(verdict(anna, unnamed)).toBe('not-addressed')
    expect(verdict(anna, inGroup)).toBe('pass')
    expect(verdict(anna, { ...unnamed, mentions: { self: true, others: true } })).toBe('pass')
    expect(verdict({ ...anna, SOME_CHAT_MENTION_PATTERNS: '^hey bot' }, { ...unnamed, text: 'Hey Bot, what time is it?' })).toBe('pass')
  })

  test('naming may be needed nowhere, or nowhere but in some rooms', () => {
    expect(verdict({ ...anna, SOME_CHAT_REQUIRE_MENTION: 'false' }, unnamed)).toBe('pass')
    expect(verdict({ ...anna, SOME_CHAT_FREE_RESPONSE_CHANNELS: '#room' }, unnamed)).toBe('pass')
    expect(verdict({ ...anna, SOME_CHAT_FREE_RESPONSE_CHANNELS: '#room' }, inThread)).toBe('pass')
    const strict = { ...anna, SOME_CHAT_REQUIRE_MENTION: 'false', SOME_CHAT_REQUIRE_MENTION_CHANNELS: '#room' }
    expect(verdict(strict, unnamed)).toBe('not-addressed')
    expect(verdict(strict, { ...unnamed, conversation: { id: '#other', kind: 'group' } })).toBe('pass')
  })

  test('a thread goes on without a name once it took part, unless a switch says otherwise', () => {
    const takesPart = { takesPart: () => true }
    expect(verdict(anna, inThread)).toBe('not-addressed')
    expect(verdict(anna, inThread, takesPart)).toBe('pass')
    expect(verdict(anna, unnamed, takesPart)).toBe('not-addressed')
    for (const name of ['STRICT_MENTION', 'THREAD_REQUIRE_MENTION'])
      expect(verdict({ ...anna, [`SOME_CHAT_${name}`]: 'true' }, inThread, takesPart), name).toBe('not-addressed')
    const free = { ...anna, SOME_CHAT_REQUIRE_MENTION: 'false', SOME_CHAT_THREAD_REQUIRE_MENTION: 'true' }
    expect([verdict(free, inThread, takesPart), verdict(free, unnamed)]).toEqual(['not-addressed', 'pass'])
  })

  test('what names somebody else can be left to them', () => {
    const other = { ...unnamed, mentions: { self: false, others: true } }
    const free = { ...anna, SOME_CHAT_REQUIRE_MENTION: 'false' }
    expect(verdict(free, other)).toBe('pass')
    expect(verdict({ ...free, SOME_CHAT_IGNORE_OTHER_USER_MENTIONS: 'true' }, other)).toBe('not-addressed')
    expect(verdict({ ...free, SOME_CHAT_IGNORE_OTHER_USER_MENTIONS: 'true' }, { ...other, addressed: true })).toBe('pass')
    expect(verdict({ ...free, SOME_CHAT_IGNORE_OTHER_USER_MENTIONS: 'true' }, unnamed)).toBe('pass')
  })
})

test('who was paired is let in by that account, and in direct messages only', () => {
  const isApproved: GateOptions['isApproved'] = ({ account, user }) => account === 'bot' && user === 'anna'
  expect(verdict({}, {}, { isApproved })).toBe('pass')
  expect(verdict({}, from('bert'), { isApproved })).toBe('not-allowed')
  expect(verdict({}, { account: 'other' }, { isApproved })).toBe('not-allowed')
  for (const kind of ['group', 'channel', 'thread'] as const)
    expect(verdict({}, { conversation: { id: 'c', kind } }, { isApproved }), kind).toBe('not-allowed')
})

describe('an unknown sender', () => {
  const pair = { strangers: 'pair' } as const

  test('may be offered a code in a direct message, and gets nothing elsewhere', () => {
    expect(verdict({}, {}, pair)).toBe('stranger')
    expect(verdict({}, inGroup, pair)).toBe('not-allowed')
    expect(verdict({}, { conversation: { id: 't', kind: 'thread', parent: 'anna' } }, pair)).toBe('not-allowed')
  })

  test.each([
    ['the platform has a list', { SOME_CHAT_ALLOWED_USERS: 'bert' }, {}],
    ['the gateway has a list', { GATEWAY_ALLOWED_USERS: 'bert' }, {}],
    ['the manifest says so', {}, { unknownSenders: 'ignore' }],
  ] as const)('is ignored where %s, unless the platform asks for codes', (_, variables, change) => {
    expect(verdict(variables, {}, { ...pair, ...change })).toBe('not-allowed')
    expect(verdict({ ...variables, SOME_CHAT_DM_POLICY: 'pairing' }, {}, { ...change })).toBe('stranger')
    const { settings } = options(variables)
    const asks = { ...settings, unauthorized_dm_behavior: 'pair' } as const
    expect(verdict(variables, {}, { ...change, settings: asks })).toBe('stranger')
  })

  test('is ignored where the platform or everything is set so', () => {
    const { settings } = options({})
    expect(verdict({}, {}, { ...pair, settings: { ...settings, unauthorized_dm_behavior: 'ignore' } })).toBe('not-allowed')
    expect(verdict({ SOME_CHAT_DM_POLICY: 'allowlist' }, {}, pair)).toBe('not-allowed')
    expect(verdict({}, {}, { strangers: 'ignore' })).toBe('not-allowed')
    expect(verdict({ SOME_CHAT_ALLOWED_USERS: ' , ' }, {}, pair)).toBe('stranger')
  })
})
