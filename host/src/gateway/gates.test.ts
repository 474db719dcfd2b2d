import type { InboundMessage } from '@agent/plugin-sdk'
import { describe, expect, test } from 'vitest'
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
  return {
    platform: 'some-chat',
    variable: (name) => variables[name],
    allowFrom: undefined,
    isApproved: () => false,
    strangers: { here: undefined, everywhere: 'ignore' },
    unknownSenders: 'pair',
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

test('the list may stand in the configuration; the variable shadows it', () => {
  expect(verdict({}, {}, { allowFrom: ['bert', 'anna'] })).toBe('pass')
  expect(verdict({}, {}, { allowFrom: ['*'] })).toBe('pass')
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'bert' }, {}, { allowFrom: ['anna'] })).toBe('not-allowed')
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

test('bots are not answered, even listed ones, and never offered a code', () => {
  const bot = { sender: { id: 'anna', isBot: true } }
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'anna' }, bot)).toBe('from-a-bot')
  expect(verdict({}, bot, { strangers: { here: 'pair', everywhere: 'pair' } })).toBe('from-a-bot')
})

test('in a group the bot has to be addressed', () => {
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'anna' }, { ...inGroup, addressed: false })).toBe('not-addressed')
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'anna' }, inGroup)).toBe('pass')
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
  const pair = { strangers: { here: undefined, everywhere: 'pair' } } as const
  const pairHere = { strangers: { here: 'pair', everywhere: 'ignore' } } as const

  test('may be offered a code in a direct message, and gets nothing elsewhere', () => {
    expect(verdict({}, {}, pair)).toBe('stranger')
    expect(verdict({}, inGroup, pair)).toBe('not-allowed')
    expect(verdict({}, { conversation: { id: 't', kind: 'thread', parent: 'anna' } }, pair)).toBe('not-allowed')
  })

  test.each([
    ['the platform has a list', { SOME_CHAT_ALLOWED_USERS: 'bert' }, {}],
    ['the configuration has a list', {}, { allowFrom: ['bert'] }],
    ['the gateway has a list', { GATEWAY_ALLOWED_USERS: 'bert' }, {}],
    ['the manifest says so', {}, { unknownSenders: 'ignore' }],
  ] as const)('is ignored where %s, unless the setting of the platform asks for codes', (_, variables, change) => {
    expect(verdict(variables, {}, { ...pair, ...change })).toBe('not-allowed')
    expect(verdict(variables, {}, { ...pairHere, ...change })).toBe('stranger')
  })

  test('is ignored where the platform or everything is set so', () => {
    expect(verdict({}, {}, { strangers: { here: 'ignore', everywhere: 'pair' } })).toBe('not-allowed')
    expect(verdict({}, {}, { strangers: { here: undefined, everywhere: 'ignore' } })).toBe('not-allowed')
    expect(verdict({ SOME_CHAT_ALLOWED_USERS: ' , ' }, {}, pair)).toBe('stranger')
  })
})
