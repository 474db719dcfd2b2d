import { expect, test } from 'vitest'
import { connectionMessage, requestMessage } from '#kernel/egress/tell-request.ts'
import { describeTraffic } from './describe-traffic.ts'

const target = { host: 'chat.example.net', port: 443 }

test.each([
  [requestMessage, { method: 'GET', host: 'chat.example.net', path: '/x', status: 404, ms: 3 }, 'GET chat.example.net/x: 404 after 3 ms'],
  [
    requestMessage,
    { method: 'GET', host: 'chat.example.net', path: '/x', error: 'reset', ms: 3 },
    'GET chat.example.net/x: no answer (reset) after 3 ms',
  ],
  [connectionMessage, { ...target, state: 'opened' }, 'connected to chat.example.net:443'],
  [connectionMessage, { ...target, state: 'refused', reason: 'no' }, 'no connection to chat.example.net:443 (no)'],
  [
    connectionMessage,
    { ...target, state: 'closed', ms: 9, bytesSent: 5, bytesReceived: 7 },
    'connection to chat.example.net:443 closed after 9 ms, 5 bytes sent and 7 received',
  ],
])('%s (%j)', (message, fields, words) => {
  const describe = (plugin: string) => describeTraffic({ time: 0, pid: 1, message, fields: { ...fields, plugin } }, 'mine')
  expect(describe('mine')).toBe(`Traffic: ${words}`)
  expect(describe('other, mine')).toBe(`Traffic: ${words}`)
  expect(describe('other')).toBeUndefined()
})

test('another line tells of no traffic', () => {
  expect(describeTraffic({ time: 0, pid: 1, message: 'toString', fields: { plugin: 'mine' } }, 'mine')).toBeUndefined()
})
