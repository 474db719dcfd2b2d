import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { PlatformRule } from './platform-rules.ts'
import { isShared, parseSessionKey, sessionKey, sessionKeyOf } from './session-key.ts'

const message = (kind: 'dm' | 'group' | 'thread', sender = 'anna', id = 'room'): InboundMessage => ({
  id: '1',
  account: 'bot',
  conversation: { id, kind },
  sender: { id: sender, isBot: false },
  text: '',
  addressed: true,
})
const settings = { group_sessions_per_user: true, thread_sessions_per_user: false }
const scope = { profile: 'default', platform: 'some-chat', settings }

test('in a group everyone has their own session, in a thread they share one', () => {
  expect(sessionKey(scope, message('group', 'anna'))).not.toBe(sessionKey(scope, message('group', 'bert')))
  expect(sessionKey(scope, message('thread', 'anna'))).toBe(sessionKey(scope, message('thread', 'bert')))
})

test('profiles and platforms do not meet, whatever they are called', () => {
  const keys = ['default', 'main', 'work'].map((profile) => sessionKey({ ...scope, profile }, message('dm')))
  expect(keys).toEqual(['main', 'main~', 'work'].map((space) => `agent:${space}:some-chat:dm:bot:room`))
  expect(sessionKey({ ...scope, platform: 'other' }, message('dm'))).not.toBe(sessionKey(scope, message('dm')))
})

test('a colon in an id cannot imitate another key', () => {
  expect(sessionKey(scope, message('group', 'b', 'a'))).not.toBe(sessionKey(scope, message('dm', 'x', 'a:b')))
  expect(sessionKey(scope, message('dm', 'x', 'a%3Ab'))).not.toBe(sessionKey(scope, message('dm', 'x', 'a:b')))
})

test('the settings turn both round', () => {
  const other = { ...scope, settings: { group_sessions_per_user: false, thread_sessions_per_user: true } }
  expect(sessionKey(other, message('group', 'anna'))).toBe(sessionKey(other, message('group', 'bert')))
  expect(sessionKey(other, message('thread', 'anna'))).not.toBe(sessionKey(other, message('thread', 'bert')))
  expect([isShared(settings, message('group')), isShared(settings, message('thread')), isShared(settings, message('dm'))]).toEqual([
    false,
    true,
    false,
  ])
  expect((['group', 'thread', 'dm'] as const).map((kind) => isShared(other.settings, message(kind)))).toEqual([true, false, false])
})

test('the settings of the platform hold, and the profile of the home', () => {
  const asked: string[] = []
  const rules = {
    of: (platform: string) => {
      asked.push(platform)
      return { settings: { group_sessions_per_user: false } } as PlatformRule
    },
  }
  const key = sessionKeyOf({ home: { profile: 'work' }, rules }, 'some-chat', message('group'))
  expect([key, asked]).toEqual(['agent:work:some-chat:group:bot:room', ['some-chat']])
})

test('a key says which conversation it is of, for everybody who shares it, and whatever stands in its parts', () => {
  const place = { platform: 'some-chat', account: 'bot', conversation: 'a:b%3A%25c' }
  for (const kind of ['dm', 'group', 'thread'] as const) {
    const key = sessionKey(scope, message(kind, 'anna:1', place.conversation))
    expect(parseSessionKey(key)).toEqual(place)
    expect(parseSessionKey(`${key}:background:7`)).toEqual(place)
  }
})

test.each([
  '',
  'api-server-0a1b',
  'api-12:bot',
  'agent:main',
  'agent:main:some-chat:dm:bot',
  'agent:main::dm:bot:ann',
  'other:main:x:dm:bot:ann',
])('the key %j is of no conversation', (key) => expect(parseSessionKey(key)).toBeUndefined())
