import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { findGround } from './find-ground.ts'

const hello: InboundMessage = {
  id: '1',
  account: 'bot',
  conversation: { id: 'anna', kind: 'dm' },
  sender: { id: 'anna', isBot: false },
  text: 'hello',
  addressed: true,
}

test('the grounds are asked in their order, and the first that holds counts', () => {
  const variables: Record<string, string> = {
    SOME_CHAT_ALLOW_ALL_USERS: 'true',
    SOME_CHAT_ALLOWED_USERS: 'anna',
    GATEWAY_ALLOWED_USERS: 'anna',
    GATEWAY_ALLOW_ALL_USERS: 'true',
  }
  let paired = true
  const ground = () =>
    findGround(hello, { platform: 'some-chat', variable: (name) => variables[name], allowFrom: undefined, isApproved: () => paired })
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
