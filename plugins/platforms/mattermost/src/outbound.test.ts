import { afterEach, expect, test } from 'vitest'
import type { MattermostServerOptions } from '../test/mattermost-server.ts'
import { bot, type StoredPost, town } from '../test/mattermost-world.ts'
import { call, createBench, createMessage } from '../test/rig.ts'

const bench = createBench()
afterEach(() => bench.close())

async function start(options: MattermostServerOptions = {}) {
  const server = await bench.openServer(options)
  const rig = bench.openRig(server)
  const connection = await rig.connect()
  const ours = (): readonly StoredPost[] => server.world.posts.filter(({ user_id }) => user_id === bot.id)
  return { server, rig, connection, ours }
}

const lost = (key: string, conversation: string, firstTriedAt = 0) => ({ key, account: bot.id, conversation, firstTriedAt })
const sent = (id: string | undefined) => ({ status: 'sent', platformId: id })

test('a message goes to its channel or its thread, and wakes no crowd', async () => {
  const { server, connection, ours } = await start()
  const { id } = server.say('a question', { channel: town })
  const receipt = await connection.send(createMessage('**hi** @all, @Channel and @ann', { replyTo: id }), call)
  expect(receipt).toEqual(sent(ours()[0]?.id))
  await connection.send(createMessage('there', { conversation: `${town}/${id}` }), call)
  expect(ours()).toMatchObject([
    { channel_id: town, root_id: '', message: '**hi** @\u200ball, @\u200bChannel and @ann' },
    { channel_id: town, root_id: id, message: 'there' },
  ])
})

test('150 messages on a server that limits arrive in order, each after the time that it names', async () => {
  let now = 0
  const { connection, ours } = await start({ now: () => now })
  const texts = Array.from({ length: 150 }, (_, index) => `line ${index}`)
  for (const text of texts) {
    for (;;) {
      const receipt = await connection.send(createMessage(text), call)
      if (receipt.status === 'sent') break
      expect(receipt.error.retryAfterMs).toBe(1000)
      now += 1000
    }
  }
  expect(ours().map(({ message }) => message)).toEqual(texts)
  expect(now).toBeGreaterThan(0)
})

test('an edit replaces the text', async () => {
  const { connection, ours } = await start()
  const { platformId } = (await connection.send(createMessage('half', { preview: true }), call)) as { platformId: string }
  expect(await connection.edit(platformId, createMessage('whole @here'), call)).toEqual(sent(platformId))
  expect(ours()).toMatchObject([{ id: platformId, message: 'whole @\u200bhere' }])
  for (const id of ['x', 'x'.repeat(26)]) {
    expect(await connection.edit(id, createMessage('y'), call)).toMatchObject({ status: 'refused', error: { code: 'SEND_REFUSED' } })
  }
})

test('a message whose receipt was lost is found in the history, in its thread too', async () => {
  const { server, connection, ours } = await start()
  const { id } = server.say('a question', { channel: town })
  const conversation = `${town}/${id}`
  server.loseReceipt()
  expect(await connection.send(createMessage('lost', { conversation }), call)).toMatchObject({ status: 'unknown' })
  expect(await connection.findSent(lost('lost', conversation), call)).toEqual(sent(ours()[0]?.id))
  expect(await connection.findSent(lost('never sent', conversation), call)).toBeNull()
  expect(await connection.findSent(lost('lost', 'nowhere'), call)).toBeNull()
})

test('a repetition within half a minute arrives once', async () => {
  const { connection, ours } = await start()
  const message = createMessage('once')
  expect(await connection.send(message, call)).toEqual(await connection.send(message, call))
  expect(ours()).toHaveLength(1)
})

test('a long history is searched page by page, and nothing is concluded where it does not reach back to the first attempt', async () => {
  const { server, rig, connection } = await start()
  await connection.send(createMessage('early'), call)
  for (let time = 0; time < 250; time += 1) server.say(`noise ${time}`, { channel: town, untold: true })
  expect(await connection.findSent(lost('early', town), call)).toMatchObject({ status: 'sent' })
  for (let time = 0; time < 800; time += 1) server.say(`noise ${time}`, { channel: town, untold: true })
  expect(await connection.findSent(lost('early', town), call)).toMatchObject({ status: 'unknown' })
  expect(await connection.findSent(lost('late', town, rig.clock.now() + 600_000), call)).toBeNull()
  server.refuseNext('GET', /posts$/, 500)
  await expect(connection.findSent(lost('early', town), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('files are uploaded first and go with the text', async () => {
  const { server, rig, connection, ours } = await start()
  const bytes = Uint8Array.from([0, 255, 10, 13])
  const blob = await rig.host.putFile(bytes, { mime: 'image/png', name: 'dot "1".png' })
  const media = [{ blob, kind: 'image' as const }]
  await connection.send(createMessage('', { key: 'a', media }), call)
  const [id = ''] = ours()[0]?.file_ids ?? []
  expect(server.world.files.get(id)).toMatchObject({ name: 'dot "1".png', mime: 'image/png', bytes })
  server.refuseNext('POST', /files$/, 413)
  expect(await connection.send(createMessage('large', { media }), call)).toMatchObject({ status: 'refused' })
  server.refuseNext('POST', /files$/, 500)
  await expect(connection.send(createMessage('later', { media }), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  const many = Array.from({ length: 11 }, () => ({ blob, kind: 'image' as const }))
  expect(await connection.send(createMessage('many', { media: many }), call)).toMatchObject({ status: 'refused' })
  expect(ours()).toHaveLength(1)
})

test.each<[string, string, object, string]>([
  ['an empty text', ' ', {}, 'there is nothing to say'],
  ['a strange receiver', 'x', { conversation: '../users' }, 'the receiver is no channel'],
  ['a thread of a thread', 'x', { conversation: `${town}/${town}/${town}` }, 'the receiver is no channel'],
  ['an unknown channel', 'x', { conversation: 'x'.repeat(26) }, 'Invalid or missing post.channel_id in request body'],
  ['an unknown thread', 'x', { conversation: `${town}/${'x'.repeat(26)}` }, 'Invalid RootId parameter'],
])('%s is refused', async (_what, text, more, detail) => {
  const { connection, ours } = await start()
  const receipt = await connection.send(createMessage(text, more), call)
  expect(receipt).toMatchObject({ status: 'refused', error: { code: 'SEND_REFUSED', params: { platform: 'Mattermost', detail } } })
  expect(ours()).toEqual([])
})

test('a rate limit is a refusal for a time, and a server that breaks off leaves the outcome open', async () => {
  const { server, connection } = await start()
  server.refuseNext('POST', /posts$/, 429, { 'Retry-After': '7' })
  expect(await connection.send(createMessage('a'), call)).toMatchObject({ status: 'refused', error: { retryAfterMs: 7000 } })
  server.http.breakNext({ type: 'drop' })
  expect(await connection.send(createMessage('b'), call)).toMatchObject({ status: 'unknown' })
})
