import type { Connection } from '@agent/plugin-sdk'
import { afterEach, expect, test } from 'vitest'
import { createDiscordLimits } from '../test/discord-limits.ts'
import type { StoredMessage } from '../test/discord-world.ts'
import { bot, forum, general, guild } from '../test/discord-world.ts'
import { call, createBench, createMessage, type RigOptions } from '../test/rig.ts'

const bench = createBench()
afterEach(() => bench.close())

async function start(options: RigOptions = {}, limits = createDiscordLimits()) {
  const server = await bench.openServer({ limits })
  const rig = bench.openRig(server, options)
  const connection = (await rig.connect()) as Required<Connection>
  const ours = (): readonly StoredMessage[] => server.world.messages.filter(({ author }) => author === bot.id)
  return { server, rig, connection, ours }
}

test('a message notifies nobody, quotes the question and carries its buttons in rows', async () => {
  const { server, connection, ours } = await start()
  const { id } = server.say('a question', { channel: general })
  const buttons = Array.from({ length: 7 }, (_, index) => ({ id: `b:${index}`, label: `Choice ${index}`, style: 'danger' as const }))
  expect(await connection.send(createMessage('@everyone hi', { replyTo: id, buttons }), call)).toEqual({
    status: 'sent',
    platformId: ours()[0]?.id,
  })
  expect(ours()[0]?.data).toMatchObject({
    content: '@everyone hi',
    allowed_mentions: { parse: [], replied_user: false },
    message_reference: { message_id: id, fail_if_not_exists: false },
    enforce_nonce: true,
  })
  expect(ours()[0]?.components.map(({ components }) => components.length)).toEqual([5, 2])
  expect(ours()[0]?.components[1]?.components[1]).toEqual({ type: 2, style: 4, label: 'Choice 6', custom_id: 'b:6' })
})

test('whom answers may notify can be widened', async () => {
  const { connection, ours } = await start({ secrets: { DISCORD_ALLOW_MENTION_USERS: 'on', DISCORD_ALLOW_MENTION_REPLIED_USER: 'on' } })
  await connection.send(createMessage('hi', { replyTo: 'command-7' }), call)
  expect(ours()[0]?.data).toMatchObject({ allowed_mentions: { parse: ['users'], replied_user: true } })
  expect(ours()[0]?.data).not.toHaveProperty('message_reference')
})

test('a preview is plain, and an edit shows the whole text without buttons', async () => {
  const { connection, ours } = await start()
  const body = [{ type: 'paragraph', children: [{ type: 'strong', children: [{ type: 'text', text: 'whole' }] }] }] as const
  const preview = createMessage('half *a', { preview: true, body, buttons: [{ id: 'b', label: 'B' }] })
  const receipt = await connection.send(preview, call)
  expect(ours()[0]?.data).toMatchObject({ content: 'half *a' })
  const { platformId = '' } = receipt as { platformId?: string }
  expect(await connection.edit(platformId, createMessage('**whole**', { body }), call)).toEqual({ status: 'sent', platformId })
  expect(ours()[0]).toMatchObject({ content: '**whole**', components: [] })
  expect(await connection.edit('1', createMessage('x'), call)).toMatchObject({ status: 'refused', error: { code: 'SEND_REFUSED' } })
  expect(await connection.edit('x', createMessage('x'), call)).toMatchObject({ status: 'refused' })
})

test('a text that its signs would make too long goes as it came', async () => {
  const { connection, ours } = await start()
  const text = '*'.repeat(1500)
  await connection.send(createMessage(text, { body: [{ type: 'paragraph', children: [{ type: 'text', text }] }] }), call)
  expect(ours()[0]?.content).toBe(text)
})

test('45 messages in one channel arrive in order, each after the time that Discord names', async () => {
  let now = 0
  const { connection, ours } = await start(
    {},
    createDiscordLimits(() => now),
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
  expect(ours().map(({ content }) => content)).toEqual(texts)
  expect([waits.length, Math.max(...waits)]).toEqual([40, 1000])
})

test('a forum that wants a tag gets the first that everybody may set', async () => {
  const { server, connection, ours } = await start()
  const available_tags = [
    { id: '31', name: 'news', moderated: true },
    { id: '32', name: 'question', moderated: false },
  ]
  const tagged = { id: '703', type: 15, name: 'tagged', guild_id: guild, flags: 16, available_tags }
  server.world.channels.set(tagged.id, tagged)
  expect(await connection.send(createMessage('a post', { conversation: tagged.id }), call)).toMatchObject({ status: 'sent' })
  expect(ours()).toHaveLength(1)
})

test('a repetition after a lost receipt arrives once', async () => {
  const { server, connection, ours } = await start()
  server.loseReceipt()
  expect(await connection.send(createMessage('once'), call)).toMatchObject({ status: 'unknown', error: { code: 'SEND_UNKNOWN' } })
  expect(await connection.send(createMessage('once'), call)).toEqual({ status: 'sent', platformId: ours()[0]?.id })
  expect(ours()).toHaveLength(1)
})

test('a mention is answered in a thread that the first answer opens', async () => {
  const { server, rig, connection, ours } = await start()
  const { id } = server.say('what is new?', { channel: general, mention: true })
  await expect.poll(rig.texts).toEqual(['what is new?'])
  const conversation = `${general}/${id}`
  await connection.typing(conversation, call)
  expect(server.world.typings).toEqual([general])
  expect(server.world.channels.has(id)).toBe(false)
  for (const text of ['one', 'two']) await connection.send(createMessage(text, { conversation, replyTo: id }), call)
  expect(server.world.channels.get(id)).toMatchObject({ name: 'what is new?', parent_id: general })
  expect(ours().map(({ channel, data }) => [channel, 'message_reference' in data])).toEqual([
    [id, false],
    [id, false],
  ])
  server.say('and then?', { channel: id })
  await expect.poll(() => rig.host.received.at(-1)?.conversation).toMatchObject({ id: conversation, kind: 'thread', parent: general })
})

test('a thread that is not known any more is opened by the answer, and one that is there is used', async () => {
  const { server, rig, connection, ours } = await start()
  const first = server.say('one', { channel: general, mention: true, untold: true })
  const receipt = await connection.send(createMessage('late', { conversation: `${general}/${first.id}` }), call)
  expect(receipt).toMatchObject({ status: 'sent' })
  const second = server.say('two', { channel: general, mention: true })
  await expect.poll(rig.texts).toEqual(['two'])
  server.world.channels.set(second.id, { id: second.id, type: 11, parent_id: general, guild_id: '700' })
  await connection.send(createMessage('there', { conversation: `${general}/${second.id}` }), call)
  expect(ours().map(({ channel }) => channel)).toEqual([first.id, second.id])
  const gone = await connection.send(createMessage('gone', { conversation: `${general}/1` }), call)
  expect(gone).toMatchObject({ status: 'refused', error: { params: { detail: 'Unknown Channel (10003)' } } })
})

test('where no thread may be opened the answer goes to the channel', async () => {
  const { server, rig, connection, ours } = await start()
  const { id } = server.say('hi', { channel: general, mention: true })
  await expect.poll(rig.texts).toEqual(['hi'])
  server.refuseNext('POST', /threads$/, 403, { message: 'Missing Permissions', code: 50_013 })
  const conversation = `${general}/${id}`
  const receipt = await connection.send(createMessage('here', { conversation, replyTo: id }), call)
  expect(ours()[0]).toMatchObject({ channel: general, data: { message_reference: { message_id: id } } })
  await connection.edit((receipt as { platformId: string }).platformId, createMessage('here it is', { conversation }), call)
  expect(ours()[0]?.content).toBe('here it is')
})

test('a thread that cannot be opened for now is not a lost message', async () => {
  const { server, rig, connection, ours } = await start()
  const { id } = server.say('hi', { channel: general, mention: true })
  await expect.poll(rig.texts).toEqual(['hi'])
  server.refuseNext('POST', /threads$/, 500, {})
  const message = createMessage('later', { conversation: `${general}/${id}` })
  await expect(connection.send(message, call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(await connection.send(message, call)).toMatchObject({ status: 'sent' })
  expect(ours()).toMatchObject([{ channel: id }])
})

test('in a forum each message begins a thread, which can be edited', async () => {
  const { server, connection, ours } = await start()
  const receipt = await connection.send(createMessage('Report\nAll is well.', { conversation: forum }), call)
  const { platformId } = receipt as { platformId: string }
  expect(server.world.channels.get(platformId)).toMatchObject({ name: 'Report', parent_id: forum })
  await connection.edit(platformId, createMessage('All is better.', { conversation: forum }), call)
  expect(ours()).toMatchObject([{ channel: platformId, content: 'All is better.' }])
})

test('a quote that is not allowed is left out', async () => {
  const { server, connection, ours } = await start()
  const { id } = server.say('hi', { channel: general })
  server.refuseNext('POST', /messages$/, 403, { message: 'Cannot reply without permission to read message history', code: 160_002 })
  expect(await connection.send(createMessage('hello', { replyTo: id }), call)).toMatchObject({ status: 'sent' })
  expect(ours()[0]?.data).not.toHaveProperty('message_reference')
})

test.each<[number, object, object]>([
  [429, { message: 'You are being rate limited.', retry_after: 1.337, global: false }, { retryAfterMs: 1337 }],
  [403, { message: 'Missing Permissions', code: 50_013 }, { params: { platform: 'Discord', detail: 'Missing Permissions (50013)' } }],
  [413, { message: 'Request entity too large', code: 40_005 }, { code: 'SEND_REFUSED' }],
])('status %i is a refusal', async (status, body, error) => {
  const { server, connection, ours } = await start()
  server.refuseNext('POST', /messages$/, status, body)
  expect(await connection.send(createMessage('no'), call)).toMatchObject({ status: 'refused', error })
  expect(await connection.send(createMessage('yes', { conversation: '710' }), call)).toMatchObject({ status: 'sent' })
  expect(ours()).toMatchObject([{ content: 'yes' }])
})

test.each(['', 'general', '1/2/3', '-1', '../users/@me'])('%j is no receiver', async (conversation) => {
  const { server, connection } = await start()
  const asked = server.http.journal.length
  expect(await connection.send(createMessage('x', { conversation }), call)).toMatchObject({ status: 'refused' })
  expect(await connection.edit('1', createMessage('x', { conversation }), call)).toMatchObject({ status: 'refused' })
  await connection.typing(conversation, call)
  await connection.react({ account: bot.id, conversation, id: '1' }, 'seen', call)
  expect(server.http.journal).toHaveLength(asked)
})

test('a server that breaks off leaves the outcome open; one that is away does not', async () => {
  const { server, connection } = await start()
  server.http.breakNext({ type: 'drop' })
  expect(await connection.send(createMessage('x'), call)).toMatchObject({ status: 'unknown' })
  await server.close()
  await expect(connection.send(createMessage('y'), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('files go with the text, also without one', async () => {
  const { rig, connection, ours } = await start()
  const bytes = Uint8Array.from([0, 255, 10, 13])
  const blob = await rig.host.putFile(bytes, { mime: 'image/png', name: 'dot "1".png' })
  await connection.send(createMessage('', { key: 'a', media: [{ blob, kind: 'image' }] }), call)
  expect(ours()[0]?.files).toMatchObject([{ name: 'dot "1".png', mime: 'image/png', bytes }])
  expect(await connection.send(createMessage('', { key: 'b' }), call)).toMatchObject({ status: 'refused' })
})
