import { afterEach, expect, test } from 'vitest'
import { call, createMessage, openRig } from '../test/matrix-rig.ts'
import type { MatrixServer } from '../test/matrix-server.ts'
import { ann, bot } from '../test/matrix-store.ts'
import { directRoom, marks, openPeopledServer, room, say, shown } from '../test/matrix-world.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

async function start() {
  const server = await openPeopledServer()
  const rig = openRig(server)
  open.push(server, rig)
  return { server, rig, connection: await rig.connect() }
}

const body = [{ type: 'paragraph', children: [{ type: 'strong', children: [{ type: 'text', text: 'a & b' }] }] }] as const
const last = (server: MatrixServer) => server.store.stream.at(-1)?.event
const picture = Uint8Array.from([1, 2, 3, 4])

test('a text goes out as it is and as HTML, and calls nobody', async () => {
  const { server, connection } = await start()
  const receipt = await connection.send(createMessage('**a & b**', { body }), call)
  expect(receipt).toEqual({ status: 'sent', platformId: last(server)?.event_id })
  expect(last(server)?.content).toEqual({
    msgtype: 'm.text',
    body: '**a & b**',
    format: 'org.matrix.custom.html',
    formatted_body: '<p><strong>a &amp; b</strong></p>',
    'm.mentions': {},
  })
  await connection.send(createMessage('**half', { key: 'k2', preview: true, body }), call)
  expect(last(server)?.content).toEqual({ msgtype: 'm.text', body: '**half', 'm.mentions': {} })
})

test.each([
  [`${room}/$root`, undefined, { rel_type: 'm.thread', event_id: '$root', is_falling_back: true, 'm.in_reply_to': { event_id: '$root' } }],
  [`${room}/$root`, '$one', { rel_type: 'm.thread', event_id: '$root', is_falling_back: false, 'm.in_reply_to': { event_id: '$one' } }],
  [room, '$one', { 'm.in_reply_to': { event_id: '$one' } }],
  [room, undefined, undefined],
])('in %s an answer to %s belongs to %j', async (conversation, replyTo, relation) => {
  const { server, connection } = await start()
  await connection.send(createMessage('x', { conversation, ...(replyTo && { replyTo }) }), call)
  expect(last(server)?.content['m.relates_to']).toEqual(relation)
})

test.each([
  ['!none:test', 'not in room'],
  [ann, 'no room'],
])('%s refuses', async (conversation, detail) => {
  const { connection } = await start()
  const receipt = await connection.send(createMessage('x', { conversation }), call)
  expect(receipt).toMatchObject({ status: 'refused', error: { params: { detail: expect.stringContaining(detail) } } })
})

test('a sign that the server has no room for is refused at once with its wait, and an answer as well', async () => {
  const { server, rig, connection } = await start()
  const { event_id: id } = say(server, directRoom, 'hello')
  for (let count = 0; count < 10; count += 1) await connection.send(createMessage(`${count}`, { key: `in:${count}:0` }), call)
  const wait = { code: 'PLATFORM_UNREACHABLE', retryAfterMs: expect.any(Number) }
  await expect(connection.react({ id, account: bot, conversation: directRoom }, 'seen', call)).rejects.toMatchObject(wait)
  const receipt = await connection.send(createMessage('one more', { key: 'in:10:0' }), call)
  expect(receipt).toMatchObject({ status: 'refused', error: { retryAfterMs: expect.any(Number) } })
  expect([rig.clock.sleeping(), marks(server, id)]).toEqual([1, []])
})

const haste = { errcode: 'M_LIMIT_EXCEEDED', error: 'Too Many Requests', retry_after_ms: 7000 }

test.each<[string, object, (server: MatrixServer) => void]>([
  ['too many messages', { status: 'refused', error: { retryAfterMs: 7000 } }, (server) => server.refuseNext('/send/', 429, haste)],
  ['a server that fails', { status: 'unknown' }, (server) => server.refuseNext('/send/', 500, { errcode: 'M_UNKNOWN' })],
  ['a lost answer', { status: 'unknown' }, (server) => server.loseAnswer()],
])('%s is told as %j, and a repetition makes one message', async (_what, receipt, prepare) => {
  const { server, connection } = await start()
  prepare(server)
  expect(await connection.send(createMessage('once'), call)).toMatchObject(receipt)
  expect(await connection.send(createMessage('once'), call)).toMatchObject({ status: 'sent' })
  expect(shown(server).map(({ content }) => content.body)).toEqual(['once'])
})

test('a message that is too large with its markup goes out without it', async () => {
  const { server, connection } = await start()
  const text = '<'.repeat(15_000)
  const long = [{ type: 'paragraph', children: [{ type: 'strong', children: [{ type: 'text', text }] }] }] as const
  expect(await connection.send(createMessage(text, { body: long }), call)).toMatchObject({ status: 'sent' })
  expect(last(server)?.content).toEqual({ msgtype: 'm.text', body: text, 'm.mentions': {} })
})

test('an edit has the new text for all clients, and may come back to an old one', async () => {
  const { server, connection } = await start()
  const receipt = await connection.send(createMessage('one'), call)
  const id = receipt.status === 'sent' ? receipt.platformId : ''
  for (const text of ['two', 'one', 'two']) {
    expect(await connection.edit(id, createMessage(text, { body }), call)).toEqual({ status: 'sent', platformId: id })
    expect(shown(server).map(({ content }) => content.body)).toEqual([text])
  }
  expect(last(server)?.content).toMatchObject({ body: '* two', 'm.relates_to': { rel_type: 'm.replace', event_id: id } })
})

test('files go out one by one, and the first carries the text', async () => {
  const { server, rig, connection } = await start()
  const blob = (name: string, mime: string) => rig.host.putFile(picture, { mime, name })
  const media = [
    { blob: await blob('dot.png', 'image/png'), kind: 'image' },
    { blob: await blob('a b.ogg', 'audio/ogg'), kind: 'voice' },
  ] as const
  const receipt = await connection.send(createMessage('look', { media, body }), call)
  expect(receipt).toMatchObject({ status: 'sent', platformId: last(server)?.event_id })
  expect(shown(server).map(({ content }) => content)).toMatchObject([
    {
      msgtype: 'm.image',
      body: 'look',
      filename: 'dot.png',
      url: 'mxc://test/media1',
      info: { mimetype: 'image/png', size: 4 },
      formatted_body: '<p><strong>a &amp; b</strong></p>',
    },
    { msgtype: 'm.audio', body: 'a b.ogg', filename: 'a b.ogg', 'org.matrix.msc3245.voice': {} },
  ])
  expect([...server.store.media.values()].map(({ name, mime }) => [name, mime])).toEqual([
    ['dot.png', 'image/png'],
    ['a b.ogg', 'audio/ogg'],
  ])
})

test('a file that the server does not take is refused before anything is said', async () => {
  const { server, rig, connection } = await start()
  const blob = await rig.host.putFile(new Uint8Array((1 << 20) + 1), { mime: 'image/png' })
  const message = createMessage('look', { media: [{ blob, kind: 'image' }] })
  expect(await connection.send(message, call)).toMatchObject({ status: 'refused' })
  server.refuseNext('/upload', 502, {})
  await expect(connection.send(message, call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(shown(server)).toEqual([])
})

test('files are read with the token, and nothing else is', async () => {
  const { server, connection } = await start()
  server.store.media.set('m1', { mime: 'text/plain', name: 'a.txt', bytes: picture })
  const read = async (id: string): Promise<number[]> => {
    const bytes: number[] = []
    for await (const piece of connection.fetchMedia({ id, kind: 'document', mime: 'text/plain' }, call)) bytes.push(...piece)
    return bytes
  }
  expect(await read('mxc://test/m1')).toEqual([1, 2, 3, 4])
  for (const id of ['mxc://test/none', 'mxc://test/../v3/logout', 'https://elsewhere.example/x']) {
    await expect(read(id)).rejects.toMatchObject({ code: 'SEND_REFUSED' })
  }
})

test('writing ends when that is said, not with a message', async () => {
  const { server, connection } = await start()
  await connection.typing(directRoom, call)
  await connection.send(createMessage('meanwhile'), call)
  expect(server.store.typings).toEqual([true])
  await connection.endTyping(`${directRoom}/$thread`, call)
  expect(server.store.typings).toEqual([true, false])
})

test('a mark takes the place of the one before it, and only of ours', async () => {
  const { server, connection } = await start()
  const { event_id: id } = say(server, directRoom, 'mark me')
  const target = { id, account: bot, conversation: directRoom }
  server.store.add(directRoom, {
    type: 'm.reaction',
    sender: bot,
    content: { 'm.relates_to': { rel_type: 'm.annotation', event_id: id, key: '1️⃣' } },
  })
  await connection.react(target, 'seen', call)
  await connection.react(target, 'seen', call)
  expect(marks(server, id)).toEqual(['1️⃣', '👀'])
  await connection.react(target, 'failed', call)
  expect(marks(server, id)).toEqual(['1️⃣', '❌'])
})

test('conversations are listed with their kind', async () => {
  const { connection } = await start()
  expect(await connection.listConversations(call)).toEqual([
    { id: directRoom, kind: 'dm' },
    { id: room, kind: 'group', name: 'Room' },
  ])
})
