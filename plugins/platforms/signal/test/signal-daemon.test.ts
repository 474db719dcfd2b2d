import { expect, test } from 'vitest'
import { ann, openSignalDaemon, own, type SignalDaemon } from './signal-daemon.ts'

async function ask(daemon: SignalDaemon, method: string, params: object) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'a', method, params: { account: own.number, ...params } })
  const response = await fetch(`${daemon.url}/api/v1/rpc`, { method: 'POST', body })
  return (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
}

const toAnn = { recipient: [ann.number] }

test.each<[string, object, number, string]>([
  ['send', { ...toAnn, account: '+43999999999', message: 'x' }, -32_602, 'account does not exist'],
  ['send', { message: 'x' }, -1, 'No recipients'],
  ['send', { recipient: ['+43777777777'], message: 'x' }, -1, 'Unregistered'],
  ['send', { groupId: 'none', message: 'x' }, -1, 'Invalid group id'],
  ['send', { ...toAnn, message: '' }, -1, 'empty message'],
  ['send', { ...toAnn, message: 'x', textStyles: ['0:1:LARGE'] }, -1, 'Invalid style'],
  ['send', { ...toAnn, message: '😀', textStyles: ['1:2:BOLD'] }, -1, 'range'],
  ['send', { ...toAnn, message: 'x', textStyles: ['0:0:BOLD'] }, -1, 'range'],
  ['send', { ...toAnn, attachments: ['data:image/png;base64,AA=='] }, -1, 'Attachment is invalid'],
  ['send', { ...toAnn, message: 'x', quoteTimestamp: 1 }, -1, 'quote author'],
  ['sendReaction', { ...toAnn, emoji: '👀' }, -1, 'author'],
  ['sendTyping', {}, -1, 'No recipients'],
  ['getAttachment', { id: 'none' }, -2, 'Could not find'],
  ['sendSmoke', {}, -32_601, 'not implemented'],
])('%s of %j is refused', async (method, params, code, words) => {
  await using daemon = await openSignalDaemon()
  const { error } = await ask(daemon, method, params)
  expect(error?.code).toBe(code)
  expect(error?.message).toContain(words)
})

test('a person has one address by number and by id', async () => {
  await using daemon = await openSignalDaemon()
  await ask(daemon, 'send', { ...toAnn, message: 'by number' })
  await ask(daemon, 'send', { recipient: [ann.uuid], message: 'by id' })
  expect(daemon.sent.map(({ to, text }) => [to, text])).toEqual([
    [ann.uuid, 'by number'],
    [ann.uuid, 'by id'],
  ])
})

test('events of an account that it does not have are refused', async () => {
  await using daemon = await openSignalDaemon()
  expect((await fetch(`${daemon.url}/api/v1/events?account=%2B43999999999`)).status).toBe(400)
})

test('a deaf daemon says that it is well', async () => {
  await using daemon = await openSignalDaemon()
  daemon.deafen()
  expect((await fetch(`${daemon.url}/api/v1/check`)).status).toBe(200)
})
