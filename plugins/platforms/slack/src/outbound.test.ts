import type { Connection } from '@agent/plugin-sdk'
import { afterEach, expect, test } from 'vitest'
import { createSlackLimits } from '../test/slack-limits.ts'
import { call, createMessage, openRig, type RigOptions } from '../test/slack-rig.ts'
import { openSlackServer, type SlackServer } from '../test/slack-server.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

async function start(options: RigOptions = {}, limits = createSlackLimits()) {
  const server = await openSlackServer({ limits })
  const rig = openRig(server, options)
  open.push(server, rig)
  return { server, rig, connection: (await rig.connect()) as Required<Connection> }
}

const lost = (key: string, conversation: string) => ({ key, account: '', conversation, firstTriedAt: 0 })
const last = (server: SlackServer) => server.store.messages.at(-1)
const picture = Uint8Array.from([1, 2, 3, 4])

test('a text is posted in the markup of Slack, into its thread, without previews of links', async () => {
  const { server, connection } = await start()
  const body = [{ type: 'paragraph', children: [{ type: 'strong', children: [{ type: 'text', text: 'a & b' }] }] }] as const
  const receipt = await connection.send(createMessage('**a & b**', { body, conversation: 'C0ROOM/1700000001.000100' }), call)
  expect(receipt).toEqual({ status: 'sent', platformId: last(server)?.ts })
  expect(last(server)).toMatchObject({ channel: 'C0ROOM', thread_ts: '1700000001.000100', text: '*a &amp; b*' })
})

test('a preview is shown as it is', async () => {
  const { server, connection } = await start()
  await connection.send(createMessage('**half <', { preview: true, body: [] }), call)
  expect(last(server)?.text).toBe('**half &lt;')
})

test('a member is written to directly', async () => {
  const { server, connection } = await start()
  expect(await connection.send(createMessage('hello', { conversation: 'U0ANN' }), call)).toMatchObject({ status: 'sent' })
  expect(last(server)?.channel).toBe('D0ANN')
  const refusal = await connection.send(createMessage('hello', { conversation: 'U0NOBODY' }), call)
  expect(refusal).toMatchObject({ status: 'refused', error: { params: { detail: 'user_not_found' } } })
})

test('45 messages in one channel arrive in order, each after the time that Slack names', async () => {
  let now = 0
  const { server, connection } = await start(
    {},
    createSlackLimits(() => now),
  )
  const texts = Array.from({ length: 45 }, (_, index) => `line ${index}`)
  const waits: number[] = []
  for (const text of texts) {
    for (;;) {
      const receipt = await connection.send(createMessage(text), call)
      if (receipt.status === 'sent') break
      if (receipt.error.retryAfterMs === undefined) throw new Error(`${text} is lost`)
      waits.push(receipt.error.retryAfterMs)
      now += receipt.error.retryAfterMs
    }
  }
  expect(server.store.messages.map(({ text }) => text)).toEqual(texts)
  expect([waits.length, Math.max(...waits)]).toEqual([41, 1000])
})

test('more edits than a workspace may have are refused with a time to wait', async () => {
  const { connection } = await start(
    {},
    createSlackLimits(() => 0),
  )
  const receipt = await connection.send(createMessage('half'), call)
  const id = receipt.status === 'sent' ? receipt.platformId : ''
  for (let n = 0; n < 50; n++) expect(await connection.edit(id, createMessage(`half ${n}`), call)).toMatchObject({ status: 'sent' })
  expect(await connection.edit(id, createMessage('whole'), call)).toMatchObject({ status: 'refused', error: { retryAfterMs: 2000 } })
})

const paragraph = (text: string) => [{ type: 'paragraph', children: [{ type: 'text', text }] }] as const

test('an edit counts the bytes that Slack gets: a preview is cut, and a whole answer comes as a separate message', async () => {
  const { server, connection } = await start()
  const receipt = await connection.send(createMessage('half', { preview: true }), call)
  const id = receipt.status === 'sent' ? receipt.platformId : ''
  const edit = (text: string, more = {}) => connection.edit(id, createMessage(text, { body: paragraph(text), ...more }), call)
  expect(await edit('&'.repeat(800))).toMatchObject({ status: 'sent' })
  expect(last(server)?.text).toBe('&amp;'.repeat(800))
  expect(await edit('ä&'.repeat(600), { preview: true })).toMatchObject({ status: 'sent' })
  expect(last(server)?.text).toMatch(/^(ä&amp;)+(ä)?…$/)
  for (const _ of ['once', 'again']) {
    expect(await edit('&'.repeat(801))).toMatchObject({
      status: 'refused',
      error: { params: { detail: expect.stringMatching(/too long/) } },
    })
    expect(server.store.messages).toEqual([])
  }
  expect(await connection.send(createMessage('&'.repeat(3600)), call)).toMatchObject({ status: 'sent' })
})

test.each([
  ['C0SHUT', 'not_in_channel'],
  ['C0NONE', 'channel_not_found'],
])('%s refuses: %s', async (conversation, detail) => {
  const { connection } = await start()
  expect(await connection.send(createMessage('hello', { conversation }), call)).toMatchObject({
    status: 'refused',
    error: { params: { detail } },
  })
})

test.each<[string, object, (server: SlackServer) => void]>([
  [
    'too many messages',
    { status: 'refused', error: { retryAfterMs: 7000 } },
    (server) => server.refuseNext('chat.postMessage', 'ratelimited', 429, { 'Retry-After': '7' }),
  ],
  [
    'a right that is missing',
    { status: 'refused', error: { params: { detail: 'restricted_action' } } },
    (server) => server.refuseNext('chat.postMessage', 'restricted_action'),
  ],
  [
    'a token that has ended',
    { status: 'refused', error: { code: 'PLATFORM_AUTH' } },
    (server) => server.refuseNext('chat.postMessage', 'token_revoked'),
  ],
  ['trouble at Slack', { status: 'unknown' }, (server) => server.refuseNext('chat.postMessage', 'internal_error')],
  ['a gateway that fails', { status: 'unknown' }, (server) => server.breakNext({ type: 'status', status: 502 })],
  ['a lost answer', { status: 'unknown' }, (server) => server.loseAnswer()],
  ['an answer that is cut', { status: 'unknown' }, (server) => server.breakNext({ type: 'cut', bytes: 5 })],
])('%s is told as %j', async (_what, receipt, prepare) => {
  const { server, connection } = await start()
  prepare(server)
  expect(await connection.send(createMessage('hello'), call)).toMatchObject(receipt)
})

test('an edit takes buttons away, or puts others there', async () => {
  const { server, connection } = await start()
  const buttons = [{ id: 'a:0', label: 'x'.repeat(80) }]
  const receipt = await connection.send(createMessage('y'.repeat(3500), { buttons }), call)
  const ts = receipt.status === 'sent' ? receipt.platformId : ''
  expect(last(server)?.blocks?.map(({ type }) => type)).toEqual(['section', 'section', 'actions'])
  await connection.edit(ts, createMessage('two', { buttons: [{ id: 'b:0', label: 'Go', style: 'primary' }] }), call)
  expect(last(server)?.blocks?.at(-1)?.elements).toEqual([
    { type: 'button', action_id: 'agent-0', value: 'b:0', style: 'primary', text: { type: 'plain_text', text: 'Go', emoji: true } },
  ])
  await connection.edit(ts, createMessage('three'), call)
  expect(last(server)).toMatchObject({ text: 'three', blocks: [] })
  expect(await connection.edit('1.2', createMessage('four'), call)).toMatchObject({ status: 'refused' })
})

test('a message whose buttons Slack cannot show goes out as text, once', async () => {
  const { server, connection } = await start()
  server.refuseNext('chat.postMessage', 'invalid_blocks')
  const receipt = await connection.send(createMessage('May I?', { buttons: [{ id: 'a:0', label: 'Yes' }] }), call)
  expect(receipt.status).toBe('sent')
  expect(server.store.messages.map(({ text, blocks }) => [text, blocks])).toEqual([['May I?', undefined]])
})

test('a lost message is found by its key, in a channel and in a thread, over several pages', async () => {
  const { server, connection } = await start()
  const root = server.store.keep({ channel: 'C0ROOM', user: 'U0ANN', text: 'root' })
  for (const conversation of ['C0ROOM', `C0ROOM/${root.ts}`]) {
    const key = `key of ${conversation}`
    expect(await connection.findSent(lost(key, conversation), call)).toBeNull()
    await connection.send(createMessage('lost', { key, conversation }), call)
    const { ts } = last(server) ?? {}
    const [, thread_ts] = conversation.split('/')
    for (let count = 0; count < 450; count += 1) {
      server.store.keep({ channel: 'C0ROOM', user: 'U0ANN', text: 'noise', ...(thread_ts && { thread_ts }) })
    }
    expect(await connection.findSent(lost(key, conversation), call)).toEqual({ status: 'sent', platformId: ts })
    expect(JSON.stringify(server.store.messages)).not.toContain(key)
  }
})

test('where nobody can look nobody can tell', async () => {
  const { server, connection } = await start()
  expect(await connection.findSent(lost('k', 'C0SHUT'), call)).toMatchObject({ status: 'unknown' })
  server.breakNext({ type: 'drop' })
  await expect(connection.findSent(lost('k', 'C0ROOM'), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  for (let count = 0; count < 4001; count += 1) server.store.keep({ channel: 'C0ROOM', user: 'U0ANN', text: 'noise' })
  expect(await connection.findSent(lost('k', 'C0ROOM'), call)).toMatchObject({ status: 'unknown' })
})

test('files go out together with their text, and are found after a crash', async () => {
  const { server, rig, connection } = await start()
  const media = [
    { blob: await rig.host.putFile(picture, { mime: 'image/png', name: 'dot.png' }), kind: 'image' },
    { blob: await rig.host.putFile(picture, { mime: 'text/csv' }), kind: 'document' },
  ] as const
  expect(await connection.send(createMessage('a & b', { media }), call)).toEqual({ status: 'sent', platformId: 'F1' })
  expect(last(server)).toMatchObject({ text: 'a &amp; b', files: [{ id: 'F1' }, { id: 'F2' }] })
  expect([...server.store.files.values()].map(({ name, bytes }) => [name, [...bytes]])).toEqual([
    ['dot.png', [1, 2, 3, 4]],
    ['file.csv', [1, 2, 3, 4]],
  ])
  server.loseAnswer()
  expect(await connection.send(createMessage('', { key: 'lost', media }), call)).toMatchObject({ status: 'unknown' })
  const restarted = openRig(server, { state: rig.state })
  open.push(restarted)
  const second = (await restarted.connect()) as Required<Connection>
  expect(await second.findSent(lost('lost', 'C0ROOM'), call)).toEqual({ status: 'sent', platformId: last(server)?.ts })
  expect(await second.findSent(lost('never', 'C0ROOM'), call)).toBeNull()
})

test('an upload that breaks was not sent', async () => {
  const { server, rig, connection } = await start()
  const media = [{ blob: await rig.host.putFile(picture, { mime: 'image/png' }), kind: 'image' }] as const
  server.refuseNext('files.getUploadURLExternal', 'internal_error')
  await expect(connection.send(createMessage('', { media }), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  server.refuseNext('files.getUploadURLExternal', 'missing_scope')
  expect(await connection.send(createMessage('', { media }), call)).toMatchObject({ status: 'refused' })
  expect(server.store.messages).toEqual([])
})

test('a question with a file keeps its buttons', async () => {
  const { server, rig, connection } = await start()
  const media = [{ blob: await rig.host.putFile(picture, { mime: 'image/png' }), kind: 'image' }] as const
  await connection.send(createMessage('This one?', { media, buttons: [{ id: 'a:0', label: 'Yes' }] }), call)
  expect(server.store.messages.map(({ text, blocks }) => [text, blocks?.length])).toEqual([
    ['', undefined],
    ['This one?', 2],
  ])
})

test('a file is read with the token, and a page to log in is no file', async () => {
  const { server, connection } = await start()
  const id = server.store.keepFile({ name: 'a.txt', mime: 'text/plain', bytes: picture, state: 'shared' })
  const read = async (file: string): Promise<number[]> => {
    const bytes: number[] = []
    for await (const piece of connection.fetchMedia({ id: file, kind: 'document', mime: 'text/plain' }, call)) bytes.push(...piece)
    return bytes
  }
  expect(await read(`T0ONE/${id}`)).toEqual([1, 2, 3, 4])
  await expect(read('T0ONE/F404')).rejects.toMatchObject({ code: 'SEND_REFUSED' })
  const locked = server.store.keepFile({ name: 'b.txt', mime: 'text/plain', bytes: picture, state: 'locked' })
  await expect(read(`T0ONE/${locked}`)).rejects.toThrow('files:read')
})

test('writing is shown in threads only, and a command of the menu carries no mark', async () => {
  const { server, connection } = await start({ settings: { typing_status_text: 'thinks…' } })
  const { ts } = server.store.keep({ channel: 'C0ROOM', user: 'U0ANN', text: 'root' })
  await connection.typing('C0ROOM', call)
  await connection.typing(`C0ROOM/${ts}`, call)
  await connection.endTyping('C0ROOM', call)
  await connection.endTyping(`C0ROOM/${ts}`, call)
  expect(server.store.statuses).toEqual(['thinks…', ''])
  await connection.react({ id: 'T0ONE:C0ROOM:133.738.808', account: 'T0ONE', conversation: 'C0ROOM' }, 'seen', call)
  expect(server.called).not.toContain('reactions.add')
})

test('a mark that is there or gone already is no failure, a right that is missing is', async () => {
  const { server, connection } = await start()
  const message = server.store.keep({ channel: 'C0ROOM', user: 'U0ANN', text: 'mark me' })
  const target = { id: `T0ONE:C0ROOM:${message.ts}`, account: 'T0ONE', conversation: `C0ROOM/${message.ts}` }
  await connection.react(target, 'seen', call)
  await connection.react(target, 'seen', call)
  await connection.react(target, 'failed', call)
  await connection.react(target, 'failed', call)
  expect([...message.reactions]).toEqual(['x'])
  server.refuseNext('reactions.add', 'missing_scope')
  await expect(connection.react(target, 'done', call)).rejects.toMatchObject({ code: 'SEND_REFUSED' })
})

test('conversations are listed with their kind, where the bot is in them', async () => {
  const { connection } = await start()
  const listed = await connection.listConversations(call)
  expect(listed).toContainEqual({ id: 'D0ANN', kind: 'dm' })
  expect(listed).toContainEqual({ id: 'C0ROOM', kind: 'channel', name: 'room' })
  expect(listed.some(({ id }) => id === 'C0SHUT')).toBe(false)
})
