import type { MediaKind } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { direct } from '../test/bot-chats.ts'
import { call, createMessage, openRig, type Rig } from '../test/rig.ts'
import { chooseUpload } from './files.ts'

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47)

test.each<[MediaKind, string, string]>([
  ['image', 'image/png', 'sendPhoto'],
  ['image', 'image/gif', 'sendAnimation'],
  ['image', 'image/svg+xml', 'sendDocument'],
  ['voice', 'audio/ogg', 'sendVoice'],
  ['voice', 'audio/mpeg', 'sendAudio'],
  ['audio', 'audio/ogg', 'sendDocument'],
  ['audio', 'audio/mp4', 'sendAudio'],
  ['video', 'video/mp4', 'sendVideo'],
  ['video', 'video/x-matroska', 'sendDocument'],
  ['document', 'image/png', 'sendDocument'],
])('%s of %s goes by %s', (kind, mime, method) => {
  expect(chooseUpload({ kind, blob: { blob: 'b', mime, bytes: 1 } }).method).toBe(method)
})

async function sendFiles(rig: Rig, text: string, ...files: readonly (readonly [MediaKind, string, Uint8Array])[]) {
  const connection = await rig.connect()
  const media = await Promise.all(
    files.map(async ([kind, mime, bytes], index) => ({ kind, blob: await rig.host.putFile(bytes, { mime, name: `${index}.bin` }) })),
  )
  return await connection.send?.(createMessage(text, { media, buttons: [{ id: 'b', label: 'More' }] }), call)
}

const kept = (rig: Rig) => rig.telegram.messages.map(({ text, keyboard, file }) => [file?.field, file?.name, text, keyboard.length])

test('several files are several messages: the text below the first, the buttons below the last', async () => {
  await using rig = await openRig()
  const receipt = await sendFiles(rig, 'two files', ['image', 'image/png', png], ['document', 'text/plain', Uint8Array.of(1)])
  expect(receipt).toMatchObject({ status: 'sent', platformId: `${direct.id}:${rig.telegram.messages[0]?.id}` })
  expect(kept(rig)).toEqual([
    ['photo', '0.bin', 'two files', 0],
    ['document', '1.bin', '', 1],
  ])
})

test('what is no picture to Telegram goes as a file', async () => {
  await using rig = await openRig()
  expect(await sendFiles(rig, '', ['image', 'image/png', Uint8Array.of(1, 2, 3)])).toMatchObject({ status: 'sent' })
  expect(kept(rig)).toEqual([['document', '0.bin', '', 1]])
})

test('when the second of two files is refused nobody can say that nothing arrived', async () => {
  await using rig = await openRig()
  rig.telegram.refuseNext('sendDocument', 413, 'Request Entity Too Large')
  const receipt = await sendFiles(rig, '', ['image', 'image/png', png], ['document', 'text/plain', Uint8Array.of(1)])
  expect(receipt).toMatchObject({ status: 'unknown', error: { params: { detail: expect.stringContaining('only 1 of 2') } } })
})

test('the second of two files waits as long as Telegram wants', async () => {
  await using rig = await openRig()
  rig.telegram.refuseNext('sendDocument', 429, 'Too Many Requests: retry after 3', 3)
  const sending = sendFiles(rig, '', ['image', 'image/png', png], ['document', 'text/plain', Uint8Array.of(1)])
  await expect.poll(() => rig.telegram.calls()).toContain('sendDocument')
  expect(kept(rig)).toHaveLength(1)
  await rig.clock.advance(3000)
  expect(await sending).toMatchObject({ status: 'sent' })
  expect(kept(rig)).toHaveLength(2)
})

async function fetchAll(rig: Rig, id: string): Promise<number[]> {
  const connection = await rig.connect()
  const bytes: number[] = []
  for await (const piece of connection.fetchMedia?.({ id, kind: 'document', mime: 'x/y' }, call) ?? []) bytes.push(...piece)
  return bytes
}

test('a file is fetched from where files are', async () => {
  await using rig = await openRig()
  rig.telegram.sendFile('document', { name: 'a', mime: 'text/plain', bytes: Uint8Array.of(1, 2, 255) })
  expect(await fetchAll(rig, 'file-0')).toEqual([1, 2, 255])
})

test.each([
  ['is not there', 'gone', /wrong file_id/],
  ['has no address', 'unnamed', /over HTTP/],
  ['lies on the disk of the server', 'local', /over HTTP/],
  ['lies elsewhere', 'outside', /over HTTP/],
  ['cannot be got', 'lost', /answered with 404/],
  ['is not the one with the shorter name', 'longer', /answered with 404/],
])('a file that %s is an error', async (_what, id, words) => {
  await using rig = await openRig()
  for (const [name, path] of [
    ['unnamed', undefined],
    ['local', '/var/lib/x'],
    ['outside', 'a/../../x'],
    ['lost', 'documents/none'],
    ['longer', 'documents/file-0#1'],
  ] as const) {
    rig.telegram.paths.set(name, path)
  }
  rig.telegram.sendFile('document', { name: 'a', mime: 'text/plain', bytes: Uint8Array.of(1) })
  await expect(fetchAll(rig, id)).rejects.toThrow(words)
})
