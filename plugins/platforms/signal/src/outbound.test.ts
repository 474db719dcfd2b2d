import type { Block, Receipt } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { call, createMessage, openRig, type RigOptions } from '../test/rig.ts'
import { ann, own, room } from '../test/signal-daemon.ts'

const bold: readonly Block[] = [{ type: 'paragraph', children: [{ type: 'strong', children: [{ type: 'text', text: 'bold' }] }] }]

async function start(options: RigOptions = {}) {
  const rig = await openRig(options)
  const connection = await rig.connect()
  const send = (text: string, more = {}): Promise<Receipt> | undefined => connection.send?.(createMessage(text, more), call)
  return { rig, daemon: rig.daemon, connection, send, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() }
}

const detailOf = (receipt: Receipt | undefined): unknown => (receipt?.status === 'sent' ? undefined : receipt?.error.params.detail)

test('an answer arrives with its styles, and is known by author and time', async () => {
  await using world = await start()
  const receipt = await world.send('**bold**', { body: bold, conversation: room.id })
  const [sent] = world.daemon.sent
  expect(sent).toMatchObject({ to: room.id, text: 'bold', styles: ['0:4:BOLD'] })
  expect(receipt).toEqual({ status: 'sent', platformId: `${own.uuid}:${sent?.timestamp}` })
})

test('a signal-cli without styles gets the text as it was written', async () => {
  await using world = await start({ withoutStyles: true })
  expect(await world.send('**bold**', { body: bold })).toMatchObject({ status: 'sent' })
  expect(world.daemon.sent).toMatchObject([{ text: '**bold**', styles: [] }])
})

test('what is answered is quoted in its own words', async () => {
  await using world = await start()
  const timestamp = world.daemon.say('how are you?')
  await expect.poll(world.rig.texts).toEqual(['how are you?'])
  await world.send('fine', { replyTo: `${ann.uuid}:${timestamp}` })
  expect(world.daemon.sent[0]?.quote).toEqual({ quoteTimestamp: timestamp, quoteAuthor: ann.uuid, quoteMessage: 'how are you?' })
})

test('files go with the text in one message; only what was spoken is a voice message', async () => {
  await using world = await start()
  const put = (mime: string, name?: string) => world.rig.host.putFile(Uint8Array.of(0, 255, 7), { mime, ...(name && { name }) })
  const voice = { kind: 'voice', blob: await put('audio/aac') } as const
  await world.send('two files', { media: [voice, { kind: 'image', blob: await put('image/png', 'a b;c,"d".png') }] })
  await world.send('', { media: [voice] })
  const file = (name: string, mime: string) => ({ name, mime, bytes: Uint8Array.of(0, 255, 7) })
  expect(world.daemon.sent).toMatchObject([
    { text: 'two files', files: [file('file', 'audio/aac'), file('a_b_c__d_.png', 'image/png')], voiceNote: false },
    { text: '', files: [file('file', 'audio/aac')], voiceNote: true },
  ])
})

test.each([
  ['nobody', 'x', 'neither a person nor a group'],
  ['+43777777777', 'x', 'Unregistered user "+43…77"'],
  ['b3RoZXItZ3JvdXAtb2YtdGhlLXRlc3RzLTAwMDAwMDA=', 'x', 'Invalid group id'],
  [ann.uuid, ' \n', 'nothing to say'],
])('to %s cannot be said %j', async (conversation, text, words) => {
  await using world = await start()
  expect(await world.send(text, { conversation })).toMatchObject({ status: 'refused' })
  expect(detailOf(await world.send(text, { conversation }))).toContain(words)
})

test('Signal asks for patience: the refusal says for how long', async () => {
  await using world = await start()
  world.daemon.refuseNext('send', -5, 'Failed to send message due to rate limiting', [
    { type: 'RATE_LIMIT_FAILURE', retryAfterSeconds: 90 },
  ])
  world.daemon.refuseNext('send', -5, 'Failed to send message due to rate limiting')
  expect(await world.send('one')).toMatchObject({ status: 'refused', error: { retryAfterMs: 90_000 } })
  expect(await world.send('two')).toMatchObject({ status: 'refused', error: { retryAfterMs: 60_000 } })
})

test('trouble between daemon and server, or a lost answer, leaves the outcome open; nothing is sent twice', async () => {
  await using world = await start()
  world.daemon.refuseNext('send', -3, 'Failed to send message: timeout for +43222222222')
  expect(await world.send('one')).toMatchObject({
    status: 'unknown',
    error: { params: { detail: 'Failed to send message: timeout for +43…22' } },
  })
  world.daemon.server.breakNext({ type: 'cut', bytes: 3 })
  expect(await world.send('two')).toMatchObject({ status: 'unknown' })
  world.daemon.server.breakNext({ type: 'status', status: 500 })
  expect(await world.send('three')).toMatchObject({ status: 'unknown' })
  expect(world.daemon.sent).toHaveLength(1)
})

test('a daemon that is gone has got nothing', async () => {
  await using world = await start()
  await world.daemon[Symbol.asyncDispose]()
  await expect.poll(() => world.rig.host.lost).toHaveLength(1)
  await expect(world.send('one')).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('our own words do not come back, not even before their receipt', async () => {
  let world: Awaited<ReturnType<typeof start>> | undefined
  const onSend = ({ text, timestamp }: { text: string; timestamp: number }) => world?.daemon.note(text, timestamp)
  await using opened = await start({ onSend })
  world = opened
  await opened.send('an answer', { conversation: own.uuid })
  opened.daemon.note('a note of mine')
  await expect.poll(opened.rig.texts).toEqual(['a note of mine'])
  opened.daemon.note('an answer', opened.daemon.sent[0]?.timestamp)
  opened.daemon.note('an answer')
  await expect.poll(opened.rig.texts).toEqual(['a note of mine', 'an answer'])
})
