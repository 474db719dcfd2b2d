import { expect, test } from 'vitest'
import { formatMessageId, formatTarget, parseMessageId } from './address.ts'

const uuid = 'aaaaaaaa-0000-4000-8000-00000000000F'

test.each([
  ['+43123456', { recipient: ['+43123456'] }],
  [uuid, { recipient: [uuid] }],
  ['Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI=', { groupId: 'Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI=' }],
])('%s can be written to', (conversation, target) => {
  expect(formatTarget(conversation)).toEqual(target)
})

test.each(['', 'ann', '43123456', '--help', 'short=', `${uuid} `, 'u:ann.01'])('%j cannot', (conversation) => {
  expect(formatTarget(conversation)).toBeUndefined()
})

test('what is written is read again', () => {
  expect(parseMessageId(formatMessageId(uuid, 5))).toEqual({ author: uuid, timestamp: 5 })
  expect(parseMessageId('in:1:0')).toBeUndefined()
})
