import type { Block, Receipt } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { direct, room } from '../test/bot-chats.ts'
import { call, createMessage, openRig, type Rig } from '../test/rig.ts'

const bold: readonly Block[] = [{ type: 'paragraph', children: [{ type: 'strong', children: [{ type: 'text', text: 'bold.' }] }] }]
const newest = (rig: Rig) => rig.telegram.messages.at(-1)
const detailOf = (receipt: Receipt | undefined): unknown => (receipt?.status === 'sent' ? undefined : receipt?.error.params.detail)

async function start() {
  const rig = await openRig()
  const connection = await rig.connect()
  // From here on the next request is the one of the test.
  await expect.poll(() => rig.telegram.calls().slice(-2)).toEqual(['getUpdates', 'getUpdates'])
  const send = (text: string, more = {}): Promise<Receipt> | undefined => connection.send?.(createMessage(text, more), call)
  const edit = (id: string, text: string, more = {}): Promise<Receipt> | undefined => connection.edit?.(id, createMessage(text, more), call)
  return { rig, send, edit, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() }
}

test('an answer goes where it belongs, below what it answers, with its markup', async () => {
  await using world = await start()
  const asked = world.rig.telegram.say('a question', { chat: room })
  const receipt = await world.send('**bold.**', { body: bold, conversation: `${room.id}/33`, replyTo: `${room.id}:${asked}` })
  expect(receipt).toEqual({ status: 'sent', platformId: `${room.id}:${newest(world.rig)?.id}` })
  expect(newest(world.rig)).toMatchObject({
    ...{ chat: room.id, topic: 33, text: 'bold.', silent: false, replyTo: asked },
    entities: [{ type: 'Bold', offset: 0, length: 5 }],
  })
})

test('what is answered may be gone', async () => {
  await using world = await start()
  expect(await world.send('an answer', { replyTo: `${direct.id}:99999` })).toMatchObject({ status: 'sent' })
})

test('a preview is plain and makes no sound', async () => {
  await using world = await start()
  await world.send('**half', { body: bold, preview: true })
  expect(newest(world.rig)).toMatchObject({ text: '**half', entities: [], silent: false })
})

test('markup that Telegram does not take is sent once more as plain text', async () => {
  await using world = await start()
  world.rig.telegram.refuseNext('sendMessage', 400, "Bad Request: can't parse entities: Character '.' is reserved")
  expect(await world.send('**bold.**', { body: bold })).toMatchObject({ status: 'sent' })
  expect(newest(world.rig)).toMatchObject({ text: '**bold.**', entities: [] })
})

test('a table that grows beyond the limit is sent as it was written', async () => {
  await using world = await start()
  const cell = (text: string) => [{ type: 'text', text } as const]
  const rows = Array.from({ length: 300 }, () => [cell('1'), cell('2')])
  const table: Block = { type: 'table', head: [cell('a long title'), cell('another title')], rows }
  expect(await world.send('| table |', { body: [table] })).toMatchObject({ status: 'sent' })
  expect(newest(world.rig)?.text).toBe('| table |')
})

test('the limit counts UTF-16 units of the text without its signs', async () => {
  await using world = await start()
  const most = '😀'.repeat(2048)
  expect(
    await world.send(most, { body: [{ type: 'paragraph', children: [{ type: 'strong', children: [{ type: 'text', text: most }] }] }] }),
  ).toMatchObject({
    status: 'sent',
  })
  expect(detailOf(await world.send(`${most}x`))).toContain('too long')
})

test('too many messages: the refusal says when to come again, and holds no other conversation', async () => {
  await using world = await start()
  world.rig.telegram.refuseNext('sendMessage', 429, 'Too Many Requests: retry after 17', 17)
  const [first, second] = await Promise.all([world.send('one'), world.send('two', { conversation: String(room.id) })])
  expect([first, second].map((receipt) => receipt?.status).sort()).toEqual(['refused', 'sent'])
  expect([first, second].find((receipt) => receipt?.status === 'refused')).toMatchObject({
    error: { code: 'SEND_REFUSED', retryAfterMs: 17_000 },
  })
})

test.each([direct, room])(
  '45 messages in one chat of the type $type arrive in order, each after the time that Telegram names',
  async ({ id }) => {
    await using world = await start()
    const texts = Array.from({ length: 45 }, (_, index) => `line ${index}`)
    const waits: number[] = []
    for (const text of texts) {
      for (;;) {
        const receipt = await world.send(text, { conversation: String(id) })
        if (receipt?.status === 'sent') break
        if (receipt?.error.retryAfterMs === undefined) throw new Error(`${text} is lost: ${detailOf(receipt)}`)
        waits.push(receipt.error.retryAfterMs)
        await world.rig.clock.advance(receipt.error.retryAfterMs)
      }
    }
    expect(world.rig.telegram.messages.map(({ text }) => text)).toEqual(texts)
    expect(Math.max(...waits)).toBeLessThanOrEqual(id === room.id ? 3000 : 1000)
  },
)

test.each([
  ['sendMessage', 403, 'Forbidden: bot was blocked by the user', 'refused'],
  ['sendMessage', 500, 'Internal Server Error', 'unknown'],
])('%s answered with %d is %s: %s', async (method, code, words, status) => {
  await using world = await start()
  world.rig.telegram.refuseNext(method, code, words)
  expect(await world.send('an answer')).toMatchObject({ status, error: { params: { detail: words } } })
})

test('a lost answer is unknown, and nothing is sent twice', async () => {
  await using world = await start()
  world.rig.telegram.server.breakNext({ type: 'cut', bytes: 3 })
  expect(await world.send('an answer')).toMatchObject({ status: 'unknown' })
  expect(world.rig.telegram.messages).toHaveLength(1)
})

test.each([
  ['nobody', 'an answer', 'no chat'],
  ['12345', 'an answer', 'chat not found'],
  [`${room.id}/99`, 'an answer', 'thread not found'],
  [String(direct.id), ' \n', 'nothing to say'],
])('to %s nothing can be said: %j', async (conversation, text, words) => {
  await using world = await start()
  expect(detailOf(await world.send(text, { conversation }))).toContain(words)
})

test('buttons stand side by side where their labels are short', async () => {
  await using world = await start()
  const buttons = ['Once', 'Always', 'Never', 'Later'].map((label, index) => ({ id: `b:${index}`, label }))
  await world.send('May I?', { buttons })
  const body = JSON.parse(Buffer.from(world.rig.telegram.server.journal.at(-1)?.body ?? '').toString())
  const rows: unknown[][] = body.reply_markup?.inline_keyboard ?? []
  expect(rows.map((row) => row.length)).toEqual([3, 1])
})

test('an edit replaces text and buttons; the same once more is no mistake', async () => {
  await using world = await start()
  await world.send('half', { preview: true, buttons: [{ id: 'b', label: 'Stop' }] })
  const { id } = newest(world.rig) ?? { id: 0 }
  const platformId = `${direct.id}:${id}`
  for (let time = 0; time < 2; time += 1) {
    expect(await world.edit(platformId, '**bold.**', { body: bold })).toEqual({ status: 'sent', platformId })
    expect(newest(world.rig)).toMatchObject({ id, text: 'bold.', entities: [{ type: 'Bold' }], keyboard: [] })
  }
  expect(detailOf(await world.edit(`${direct.id}:9999`, 'x'))).toContain('not found')
  expect(detailOf(await world.edit('elsewhere', 'x'))).toContain('no such message')
})

test('the text below a file is edited as such', async () => {
  await using world = await start()
  const blob = await world.rig.host.putFile(Uint8Array.of(1), { mime: 'text/plain', name: 'a.txt' })
  const receipt = await world.send('see', { media: [{ blob, kind: 'document' }] })
  expect(await world.edit(receipt?.status === 'sent' ? receipt.platformId : '', 'seen')).toMatchObject({ status: 'sent' })
  expect(newest(world.rig)).toMatchObject({ text: 'seen', file: { name: 'a.txt' } })
})
