import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { sessionKey } from './session-key.ts'

const message = (kind: 'dm' | 'group' | 'thread', sender = 'anna', id = 'room'): InboundMessage => ({
  id: '1',
  account: 'bot',
  conversation: { id, kind },
  sender: { id: sender, isBot: false },
  text: '',
  addressed: true,
})
const scope = { profile: 'default', platform: 'some-chat' }

test('in a group everyone has a session of their own, in a thread they share one', () => {
  expect(sessionKey(scope, message('group', 'anna'))).not.toBe(sessionKey(scope, message('group', 'bert')))
  expect(sessionKey(scope, message('thread', 'anna'))).toBe(sessionKey(scope, message('thread', 'bert')))
})

test('profiles and platforms do not meet, whatever they are called', () => {
  const keys = ['default', 'main', 'work'].map((profile) => sessionKey({ ...scope, profile }, message('dm')))
  expect(new Set(keys).size).toBe(3)
  expect(sessionKey({ ...scope, platform: 'other' }, message('dm'))).not.toBe(sessionKey(scope, message('dm')))
})

test('a colon in an id cannot imitate another key', () => {
  expect(sessionKey(scope, message('group', 'b', 'a'))).not.toBe(sessionKey(scope, message('dm', 'x', 'a:b')))
  expect(sessionKey(scope, message('dm', 'x', 'a%3Ab'))).not.toBe(sessionKey(scope, message('dm', 'x', 'a:b')))
})
