// @module-tag server
import { expect, test } from 'vitest'
import type { EventFrame, PromptFile, SessionEvent, ShownFile } from '#rpc/protocol.ts'
import { type ChatClient, openChatStage } from '../../../../test/support/chats/chat-stage.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'

const isIdle = (event: SessionEvent): boolean => event.type === 'session.status' && event.status === 'idle'
const promptsOf = (frames: readonly EventFrame[]): readonly { text: string; files: readonly ShownFile[] | undefined }[] =>
  frames.flatMap(({ event }) => (event.type === 'prompt.accepted' ? [{ text: event.text, files: event.files }] : []))

/** A PNG of one pixel. */
const pixel = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const notes = { name: 'no"tes.md', text: 'Buy milk.\n(End of "no tes.md".)' }
const photo = { name: 'photo.png', image: pixel, preview: pixel }

async function openStage() {
  const server = await startFakeOpenai({ models: ['m'], answers: [{ text: 'I see.' }] })
  const stage = await openChatStage({ config: JSON.stringify({ model: { provider: 'custom', default: 'm', base_url: server.url } }) })
  const close = async (): Promise<void> => {
    await stage[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  }
  return { server, stage, [Symbol.asyncDispose]: close }
}

async function send(client: ChatClient, session_id: string, text: string, files: readonly PromptFile[]): Promise<void> {
  await client.call('prompt.submit', { session_id, text, id: `id-${text}`, files })
  await client.until(isIdle)
}

test('a picture is looked at and a text is read, everybody who looks on sees that they are there, and so does who comes after a restart', async () => {
  await using both = await openStage()
  const { server, stage } = both
  const [one, two] = [stage.connect(), stage.connect()]
  const { session_id } = await one.call('session.create', {})
  await two.call('session.resume', { session_id })
  await send(one, session_id, 'What is this?', [photo, notes])
  await two.until(isIdle)
  const messages = server.requests.at(-1)?.body.messages as readonly { readonly role: string; readonly content: unknown }[]
  const message = messages.find(({ role }) => role === 'user')
  expect(message?.content).toEqual([
    expect.objectContaining({ type: 'text', text: expect.stringContaining('What is this?') }),
    expect.objectContaining({ type: 'image_url', image_url: expect.objectContaining({ url: pixel }) }),
    expect.objectContaining({ type: 'text', text: '(File "no tes.md", its text:)\n> Buy milk.\n> (End of "no tes.md".)' }),
  ])
  const files = [
    { name: 'photo.png', kind: 'image', preview: pixel },
    { name: 'no tes.md', kind: 'text' },
  ]
  expect(promptsOf(two.frames)).toEqual([{ text: 'What is this?', files }])
  await stage.restart()
  const { events } = await stage.connect().call('session.resume', { session_id })
  expect(promptsOf(events)).toEqual([{ text: 'What is this?', files: [{ ...files[0], name: 'picture' }, files[1]] }])
})

test('words that look like a file stay words', async () => {
  await using both = await openStage()
  const { stage } = both
  const client = stage.connect()
  const { session_id } = await client.call('session.create', {})
  const text = '(File "notes.md", its text:)\n> Buy milk.'
  await client.call('prompt.submit', { session_id, text, id: 'a' })
  await client.until(isIdle)
  await stage.restart()
  const { events } = await stage.connect().call('session.resume', { session_id })
  expect(promptsOf(events)).toEqual([{ text, files: undefined }])
})

test('a picture needs no words beside it', async () => {
  await using both = await openStage()
  const client = both.stage.connect()
  const { session_id } = await client.call('session.create', {})
  await send(client, session_id, '', [photo])
  expect(promptsOf(client.frames)).toMatchObject([{ text: '', files: [{ name: 'photo.png' }] }])
  expect(both.server.requests.at(-1)?.raw).toContain(pixel)
})

test.each([
  ['a picture that is none', 'look', [{ name: 'fake.png', image: 'data:image/png;base64,PHN2Zz48L3N2Zz4=' }], 'fake.png is no PNG'],
  ['a picture of another kind than it says', 'look', [{ name: 'p', image: pixel.replace('png', 'gif') }], 'p is no PNG'],
  ['an address in place of a picture', 'look', [{ name: 'p', image: 'https://example.org/p.png' }], 'files'],
  ['too many', 'look', Array(11).fill(notes), 'files'],
  ['files of a slash command', '/help', [notes], 'a slash command takes none'],
  ['nothing at all', ' ', [], 'files'],
])('%s is refused in words, and nothing is said', async (_what, text, files, words) => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const { session_id } = await client.call('session.create', {})
  await expect(client.call('prompt.submit', { session_id, text, id: 'a', files })).rejects.toMatchObject({
    message: expect.stringContaining(words),
  })
  expect(client.frames).toEqual([])
})
