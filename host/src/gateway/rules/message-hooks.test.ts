import type { InboundMessage, OutboundMessage } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createHooks } from '#kernel/hooks/hooks.ts'
import { silentLog } from '#observe/silent-log.ts'
import { talkSpec } from '../testing/talk.ts'
import { createMessageHooks } from './message-hooks.ts'

const spec = talkSpec({ limits: { maxLength: 5 } })
const inbound = { id: '1', text: 'hi' } as InboundMessage
const outbound = { text: 'hi', replyTo: '7' } as OutboundMessage

function openRig() {
  const hooks = createHooks({ clock: createFakeClock(), log: silentLog })
  const warned: unknown[] = []
  return { hooks, warned, messages: createMessageHooks(hooks, { warn: (_text, about) => void warned.push(about) }) }
}

test('without hooks nothing is refused and nothing changes', async () => {
  const { messages } = openRig()
  expect([messages.guards(), messages.revises()]).toEqual([false, false])
  expect(await messages.refusal('talk', inbound)).toBeUndefined()
  expect(await messages.revise(spec, outbound)).toBe(outbound)
})

test('a hook hears of the platform and the message, and what it refuses is told with its name', async () => {
  const { hooks, messages } = openRig()
  const heard: unknown[] = []
  hooks.tap('message.inbound', { owner: 'guard' }, async (about) => {
    heard.push(about)
    return about.platform === 'talk' ? undefined : { refuse: 'not here' }
  })
  expect([messages.guards(), messages.revises()]).toEqual([true, false])
  expect(await messages.refusal('talk', inbound)).toBeUndefined()
  expect(await messages.refusal('chat', inbound)).toBe('guard refused at message.inbound: not here.')
  expect(heard).toEqual([
    { platform: 'talk', message: inbound },
    { platform: 'chat', message: inbound },
  ])
})

test('a hook changes the text that is sent and nothing else, as long as it fits into one message', async () => {
  const { hooks, messages, warned } = openRig()
  let text: unknown = 'hello'
  const heard: unknown[] = []
  hooks.tap('message.outbound', { owner: 'guard' }, async ({ platform, message }) => {
    heard.push(platform)
    return { message: { ...message, replyTo: '8', text } as OutboundMessage }
  })
  expect([messages.guards(), messages.revises()]).toEqual([false, true])
  expect(await messages.revise(spec, outbound)).toEqual({ text: 'hello', replyTo: '7' })
  for (text of ['hello!', 7]) expect(await messages.revise(spec, outbound)).toBe(outbound)
  expect(warned).toContainEqual({ platform: 'talk', most: 5 })
  expect(heard).toEqual(['talk', 'talk', 'talk'])
})
