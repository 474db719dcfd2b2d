import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { openEnvironment } from '#config/environment/environment.ts'
import { readPlatformSettings } from '#config/platform-settings.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import { type AccessOptions, findGround, hasList, isIn, isKnown } from './find-ground.ts'

const hello: InboundMessage = {
  id: '1',
  account: 'bot',
  conversation: { id: 'anna', kind: 'dm' },
  sender: { id: 'anna', isBot: false },
  text: 'hello',
  addressed: true,
}

const room: InboundMessage = { ...hello, conversation: { id: 'room', kind: 'thread', parent: 'hall' } }

function options(variables: Record<string, string>, change: Partial<AccessOptions> = {}): AccessOptions {
  const { settings } = readPlatformSettings({ config: defaultConfig, environment: openEnvironment(variables) }, 'some-chat')
  return { platform: 'some-chat', settings, variable: (name) => variables[name], isApproved: () => false, ...change }
}

test('the grounds are asked in their order, and the first that holds counts', () => {
  const variables: Record<string, string> = {
    SOME_CHAT_ALLOW_ALL_USERS: 'true',
    SOME_CHAT_ALLOWED_USERS: 'anna',
    GATEWAY_ALLOWED_USERS: 'anna',
    GATEWAY_ALLOW_ALL_USERS: 'true',
  }
  let paired = true
  const ground = () => findGround(hello, options(variables, { isApproved: () => paired }))
  expect(ground()).toBe('platform-open')
  delete variables.SOME_CHAT_ALLOW_ALL_USERS
  expect(ground()).toBe('platform-list')
  delete variables.SOME_CHAT_ALLOWED_USERS
  expect(ground()).toBe('paired')
  paired = false
  expect(ground()).toBe('gateway-list')
  delete variables.GATEWAY_ALLOWED_USERS
  expect(ground()).toBe('gateway-open')
  delete variables.GATEWAY_ALLOW_ALL_USERS
  expect(ground()).toBeUndefined()
})

test('a person is found by every id that the platform vouches for', () => {
  const known = { ...hello, sender: { id: '77', aliases: ['+49 1', 'Anna@Example.org'], isBot: false } }
  expect(findGround(known, options({ SOME_CHAT_ALLOWED_USERS: 'anna@example.ORG' }))).toBe('platform-list')
  expect(findGround(known, options({}, { isApproved: ({ user }) => user === '+49 1' }))).toBe('paired')
  expect(findGround(known, options({ SOME_CHAT_ALLOWED_USERS: 'anna' }))).toBeUndefined()
})

test('rooms have their own lists, which say nothing about direct messages', () => {
  expect(findGround(room, options({ SOME_CHAT_GROUP_ALLOWED_USERS: 'anna' }))).toBe('room-list')
  expect(findGround(hello, options({ SOME_CHAT_GROUP_ALLOWED_USERS: 'anna' }))).toBeUndefined()
  for (const id of ['room', 'hall']) expect(findGround(room, options({ SOME_CHAT_GROUP_ALLOWED_CHATS: id }))).toBe('room')
  expect(findGround(hello, options({ SOME_CHAT_GROUP_ALLOWED_CHATS: 'anna' }))).toBeUndefined()
  const trusted = { ...room, sender: { id: 'eve', roles: ['5', '7'], isBot: false } }
  expect(findGround(trusted, options({ SOME_CHAT_ALLOWED_ROLES: '7' }))).toBe('role')
  expect(findGround(trusted, options({ SOME_CHAT_ALLOWED_ROLES: '8' }))).toBeUndefined()
})

test('a policy closes what lists have opened; what a source has checked needs no person', () => {
  const open = { SOME_CHAT_ALLOWED_USERS: '*', SOME_CHAT_DM_POLICY: 'disabled', SOME_CHAT_GROUP_POLICY: 'disabled' }
  expect([findGround(hello, options(open)), findGround(room, options(open))]).toEqual([undefined, undefined])
  expect(findGround(hello, options({ SOME_CHAT_DM_POLICY: 'allowlist' }, { isApproved: () => true }))).toBeUndefined()
  expect(findGround(hello, options({}, { gate: 'source' }))).toBe('checked-source')
})

test('only who was let in by name is known', () => {
  const known = (message: InboundMessage, variables: Record<string, string>, change: Partial<AccessOptions> = {}) =>
    isKnown(message, options(variables, change))
  expect(known(room, { SOME_CHAT_ALLOWED_USERS: 'anna' })).toBe(true)
  expect(known(room, { SOME_CHAT_GROUP_ALLOWED_USERS: '*,anna' })).toBe(true)
  expect(known(room, {}, { isApproved: () => true })).toBe(true)
  for (const variables of [
    { SOME_CHAT_ALLOWED_USERS: '*' },
    { GATEWAY_ALLOWED_USERS: '*' },
    { SOME_CHAT_ALLOW_ALL_USERS: 'true' },
    { SOME_CHAT_GROUP_ALLOWED_CHATS: 'room' },
  ])
    expect([findGround(room, options(variables)) !== undefined, known(room, variables)]).toEqual([true, false])
})

test('a thread is where its conversation is, and what is no thread is in no list of nothing', () => {
  expect([isIn(room, ['hall']), isIn(room, ['room']), isIn(room, ['*']), isIn(room, ['other'])]).toEqual([true, true, true, false])
  expect(isIn(hello, [undefined as never, 'hall'])).toBe(false)
})

test('lists may be written with spaces, and a list of nothing lists nobody', () => {
  expect(findGround(hello, options({ SOME_CHAT_ALLOWED_USERS: ' bert , anna ' }))).toBe('platform-list')
  expect(findGround(hello, options({ GATEWAY_ALLOWED_USERS: ' bert , anna ' }))).toBe('gateway-list')
  const nobody = { ...hello, sender: { id: '', isBot: false } }
  expect(findGround(nobody, options({ SOME_CHAT_ALLOWED_USERS: ' , ' }))).toBeUndefined()
  expect(findGround(nobody, options({ GATEWAY_ALLOWED_USERS: ' , ' }))).toBeUndefined()
  const stars = options({ SOME_CHAT_ALLOWED_USERS: ' * ' })
  expect([findGround(hello, stars), isKnown(hello, stars)]).toEqual(['platform-list', false])
})

test('whether the owner has named anybody is told without spaces', () => {
  const named = (variables: Record<string, string>) => hasList(options(variables))
  expect([named({}), named({ SOME_CHAT_ALLOWED_USERS: ' , ' }), named({ GATEWAY_ALLOWED_USERS: ' , ' })]).toEqual([false, false, false])
  expect([named({ SOME_CHAT_ALLOWED_USERS: 'anna' }), named({ GATEWAY_ALLOWED_USERS: 'anna' })]).toEqual([true, true])
})

test('somebody without roles, other ids or an approval has none', () => {
  const settings = options({ SOME_CHAT_ALLOWED_ROLES: 'crew' })
  expect(findGround(room, settings)).toBeUndefined()
  expect(findGround({ ...room, sender: { id: 'anna', roles: ['crew'], isBot: false } }, settings)).toBe('role')
  const asked: string[] = []
  findGround(hello, options({}, { isApproved: ({ user }) => asked.push(user) < 0 }))
  expect(asked).toEqual(['anna'])
})

test('a platform that is off for direct messages or rooms lets nobody in there, but for a source that it has checked', () => {
  const off = options({ SOME_CHAT_ALLOW_ALL_USERS: 'true', SOME_CHAT_DM_POLICY: 'disabled' })
  expect([findGround(hello, off), findGround(room, off)]).toEqual([undefined, 'platform-open'])
  expect(findGround(hello, { ...off, gate: 'source' })).toBe('checked-source')
})
