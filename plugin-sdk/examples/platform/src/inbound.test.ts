import { expect, test } from 'vitest'
import { readMessage } from './inbound.ts'
import type { WireMessage } from './wire.ts'

const self = { id: 'bot-1', name: 'Bot' }
const said: WireMessage = {
  number: 7,
  from: { id: 'ann', name: 'Ann', bot: false },
  room: { id: 'room-1', direct: true },
  text: 'hello',
  mentions: [],
}

test('a direct message is told with who, where and what', () => {
  expect(readMessage(said, self)).toEqual({
    id: '7',
    account: 'bot-1',
    conversation: { id: 'room-1', kind: 'dm' },
    sender: { id: 'ann', name: 'Ann', isBot: false },
    text: 'hello',
    addressed: true,
  })
})

test('in a group only a message that names the bot is for it', () => {
  const room = { id: 'room-2', direct: false }
  expect(readMessage({ ...said, room }, self)).toMatchObject({ addressed: false, conversation: { kind: 'group' } })
  expect(readMessage({ ...said, room, mentions: ['bot-1'] }, self)).toMatchObject({ addressed: true })
})

test('its own words are no message', () => {
  expect(readMessage({ ...said, from: { id: 'bot-1', name: 'Bot', bot: true } }, self)).toBeUndefined()
})
