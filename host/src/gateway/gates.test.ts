import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { judge } from './gates.ts'

function verdict(
  variables: Readonly<Record<string, string>>,
  change: Partial<InboundMessage> = {},
  sender: Partial<InboundMessage['sender']> = {},
) {
  const message: InboundMessage = {
    id: '1',
    account: 'bot',
    conversation: { id: 'anna', kind: 'dm' },
    sender: { id: 'anna', isBot: false, ...sender },
    text: 'hello',
    addressed: true,
    ...change,
  }
  return judge(message, { platform: 'some-chat', variable: (name) => variables[name] })
}

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
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'x' }, {}, { id: '' })).toBe('not-allowed')
})

test('a name that only looks like a listed one in lower case is another name', () => {
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'kim' }, {}, { id: '\u212Aim' })).toBe('not-allowed')
})

test('bots are not answered, even listed ones', () => {
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'anna' }, {}, { isBot: true })).toBe('from-a-bot')
})

test('in a group the bot has to be addressed', () => {
  const group = { conversation: { id: '#room', kind: 'group' as const } }
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'anna' }, { ...group, addressed: false })).toBe('not-addressed')
  expect(verdict({ SOME_CHAT_ALLOWED_USERS: 'anna' }, { ...group, addressed: true })).toBe('pass')
})
