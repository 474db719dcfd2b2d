import { openWebSocket } from '@agent/plugin-sdk/http'
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { appToken, openSlackServer, type SlackServer } from './slack-server.ts'

const open: SlackServer[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
})

async function start(): Promise<SlackServer> {
  const server = await openSlackServer()
  open.push(server)
  return server
}

async function ask(
  server: SlackServer,
  method: string,
  values: Record<string, string> = {},
  token = 'xoxb-right',
): Promise<Record<string, unknown>> {
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {}
  const response = await fetch(`${server.url}/api/${method}`, { method: 'POST', headers, body: new URLSearchParams(values) })
  return (await response.json()) as Record<string, unknown>
}

const blocks = (...rows: object[]): string => JSON.stringify(rows)

test.each<[string, string, Record<string, string>, string]>([
  ['no token', 'auth.test', { token: '' }, 'not_authed'],
  ['a wrong token', 'auth.test', { token: 'xoxb-wrong' }, 'invalid_auth'],
  ['a bot token for a socket', 'apps.connections.open', {}, 'not_allowed_token_type'],
  ['a method of tomorrow', 'chat.shout', {}, 'unknown_method'],
  ['no text', 'chat.postMessage', { channel: 'C0ROOM' }, 'no_text'],
  ['a long text', 'chat.postMessage', { channel: 'C0ROOM', text: 'x'.repeat(40_001) }, 'msg_too_long'],
  ['a channel that is not there', 'chat.postMessage', { channel: 'C0NONE', text: 'x' }, 'channel_not_found'],
  ['a channel that it is not in', 'chat.postMessage', { channel: 'C0SHUT', text: 'x' }, 'not_in_channel'],
  ['a member as a channel', 'files.completeUploadExternal', { channel_id: 'U0ANN', files: '[{"id":"F1"}]' }, 'invalid_arguments'],
  [
    'a long section',
    'chat.postMessage',
    { channel: 'C0ROOM', text: 'x', blocks: blocks({ type: 'section', text: { text: 'x'.repeat(3001) } }) },
    'invalid_blocks',
  ],
  [
    'a long label',
    'chat.postMessage',
    { channel: 'C0ROOM', text: 'x', blocks: blocks({ type: 'actions', elements: [{ text: { text: 'x'.repeat(76) } }] }) },
    'invalid_blocks',
  ],
  [
    'metadata without a type',
    'chat.postMessage',
    { channel: 'C0ROOM', text: 'x', metadata: '{"event_payload":{}}' },
    'invalid_metadata_format',
  ],
  ['an update of nothing', 'chat.update', { channel: 'C0ROOM', ts: '1.2', text: 'x' }, 'message_not_found'],
  ['a mark with colons', 'reactions.add', { channel: 'C0ROOM', timestamp: '1700000001.000100', name: ':eyes:' }, 'invalid_name'],
  ['no mark to remove', 'reactions.remove', { channel: 'C0ROOM', timestamp: '1700000001.000100', name: 'eyes' }, 'no_reaction'],
  ['a status outside of threads', 'assistant.threads.setStatus', { channel_id: 'C0ROOM', status: 'writes' }, 'invalid_thread_ts'],
  ['the words of others', 'chat.update', { channel: 'C0ROOM', ts: '1700000001.000100', text: 'x' }, 'cant_update_message'],
])('it refuses %s', async (_what, method, { token = 'xoxb-right', ...values }, error) => {
  const server = await start()
  server.store.keep({ channel: 'C0ROOM', user: 'U0ANN', text: 'of Ann' })
  expect(await ask(server, method, values, token)).toEqual({ ok: false, error })
})

test('it takes forms, not JSON, and tells metadata only to who asks', async () => {
  const server = await start()
  const headers = { Authorization: 'Bearer xoxb-right', 'Content-Type': 'application/json' }
  const response = await fetch(`${server.url}/api/auth.test`, { method: 'POST', headers, body: '{}' })
  expect(await response.json()).toEqual({ ok: false, error: 'invalid_form_data' })
  await ask(server, 'chat.postMessage', { channel: 'C0ROOM', text: 'x', metadata: '{"event_type":"t","event_payload":{"key":"k"}}' })
  expect(JSON.stringify(await ask(server, 'conversations.history', { channel: 'C0ROOM' }))).not.toContain('event_payload')
  expect(JSON.stringify(await ask(server, 'conversations.history', { channel: 'C0ROOM', include_all_metadata: 'true' }))).toContain(
    'event_payload',
  )
})

test('an upload has the announced length and is shared once', async () => {
  const server = await start()
  const { upload_url, file_id } = await ask(server, 'files.getUploadURLExternal', { filename: 'a.txt', length: '3' })
  const share = () => ask(server, 'files.completeUploadExternal', { files: JSON.stringify([{ id: file_id }]), channel_id: 'C0ROOM' })
  expect(await share()).toEqual({ ok: false, error: 'file_not_found' })
  const put = async (body: string): Promise<number> => (await fetch(String(upload_url), { method: 'POST', body })).status
  expect(await put('four')).toBe(400)
  expect(await put('abc')).toBe(200)
  expect(await share()).toMatchObject({ ok: true })
  expect(await share()).toEqual({ ok: false, error: 'file_not_found' })
  const page = await fetch(`${server.url}/files/${file_id}`)
  expect([page.redirected, page.headers.get('Content-Type')]).toEqual([true, 'text/html'])
})

test('a ticket opens one socket, and an acknowledgement of nothing closes it', async () => {
  const server = await start()
  const { url } = await ask(server, 'apps.connections.open', {}, appToken)
  const visit = (onText: () => void, onEnd: (code: number) => void) =>
    openWebSocket({
      url: String(url),
      platform: 'Slack',
      clock: createSystemClock(),
      signal: new AbortController().signal,
      onHear: () => undefined,
      onText,
      onEnd,
    })
  let code = 0
  let greeted = false
  const first = await visit(
    () => {
      greeted = true
    },
    (ended) => {
      code = ended
    },
  )
  await expect.poll(() => greeted).toBe(true)
  await expect(
    visit(
      () => undefined,
      () => undefined,
    ),
  ).rejects.toMatchObject({ params: { detail: 'it answered 408' } })
  first.send('{"envelope_id":"made up"}')
  await expect.poll(() => code).toBe(1008)
})
