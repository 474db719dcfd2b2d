import { expect, test } from 'vitest'
import { formatMessageId, formatPlace, parseMessageId, parsePlace } from './address.ts'

test.each([
  ['7', { chat: '7' }],
  ['-1001/33', { chat: '-1001', topic: 33 }],
  ['-1001/1', { chat: '-1001' }],
  ['@a_channel', { chat: '@a_channel' }],
])('%s is a place', (conversation, place) => {
  expect(parsePlace(conversation)).toEqual(place)
})

test.each(['', 'ann', '7/', '7/x', '7/8/9', '7 ', '../7', '@'])('%j is no place', (conversation) => {
  expect(parsePlace(conversation)).toBeUndefined()
})

test('what is written is read again', () => {
  expect(parsePlace(formatPlace(-1001, 33))).toEqual({ chat: '-1001', topic: 33 })
  expect(parseMessageId(formatMessageId(-1001, 5))).toEqual({ chat: '-1001', message: 5 })
  expect(parseMessageId('in:1:0')).toBeUndefined()
})
