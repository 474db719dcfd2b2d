import { expect, test } from 'vitest'
import { type ChatClient, openChatStage } from '../../../../test/support/chats/chat-stage.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import type { SessionEvent } from '../protocol.ts'

const isIdle = (event: SessionEvent): boolean => event.type === 'session.status' && event.status === 'idle'

async function say(client: ChatClient, session_id: string, text: string, id = text): Promise<void> {
  const before = client.frames.length
  await client.call('prompt.submit', { session_id, text, id })
  await client.until((event) => isIdle(event) && client.frames.findLastIndex((frame) => frame.event === event) >= before)
}

async function command(client: ChatClient, session_id: string, text: string, id = text): Promise<string> {
  await client.call('prompt.submit', { session_id, text, id })
  const said = await client.until((event) => event.type === 'command.output' && event.id === id)
  return said.type === 'command.output' ? said.text : ''
}

const promptsOf = (events: readonly { readonly event: SessionEvent }[]): readonly string[] =>
  events.flatMap(({ event }) => (event.type === 'prompt.accepted' ? [event.text] : []))

test('/undo takes the last turn out of the chat, and the next prompt has its number', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const { session_id } = await client.call('session.create', {})
  expect(await command(client, session_id, '/undo')).toBe('There is no session yet: say something first.')
  await say(client, session_id, 'stream 1 tokens')
  await say(client, session_id, 'stream 2 tokens')
  expect(await command(client, session_id, '/undo', 'u')).toBe(
    'Taken back: "stream 2 tokens" and what came after it (2 messages in all). 2 messages are left.',
  )
  expect(client.events()).toContainEqual({ type: 'session.truncated', ordinal: 1 })
  expect(await client.call('prompt.submit', { session_id, text: 'stream 3 tokens', id: 'c' })).toEqual({ accepted: true, ordinal: 1 })
  await client.until((event) => event.type === 'message.complete' && event.text.includes('offline-3'))
  await stage.restart()
  const { events } = await stage.connect().call('session.resume', { session_id })
  expect(promptsOf(events)).toEqual(['stream 1 tokens', 'stream 3 tokens'])
})

test('/undo waits for no turn and cuts none off', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const { session_id } = await client.call('session.create', {})
  await say(client, session_id, 'stream 1 tokens')
  await client.call('prompt.submit', { session_id, text: 'stream 100000 tokens every 5 ms', id: 'b' })
  await client.until((event) => event.type === 'message.delta' && event.text.includes('offline-2'))
  expect(await command(client, session_id, '/undo')).toContain('is answering something else')
  await client.call('session.interrupt', { session_id })
  await client.until(isIdle)
})

test('/branch goes on in a copy that has the title of the chat and a number', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const { session_id } = await client.call('session.create', { title: 'Plan' })
  await say(client, session_id, 'stream 1 tokens')
  expect(await command(client, session_id, '/branch')).toMatch(
    new RegExp(`^This conversation goes on as "Plan #2" \\(ses_\\w+\\); "Plan" \\(${session_id}\\) stays as it is\\.$`),
  )
  const next = client.events().find((event) => event.type === 'session.next')
  const copy = next?.type === 'session.next' ? next.session_id : ''
  const { title, events } = await client.call('session.resume', { session_id: copy })
  expect([title, promptsOf(events)]).toEqual(['Plan #2', ['stream 1 tokens']])
  await say(client, copy, 'stream 2 tokens')
  await stage.restart()
  expect(promptsOf((await stage.connect().call('session.resume', { session_id })).events)).toEqual(['stream 1 tokens'])
})

test('a chat gets a title of the model after its first answer, and a person still names it otherwise', async () => {
  await using server = await startFakeOpenai({ models: ['m'], answers: [{ text: 'By train.' }, { text: '"Trip to Oslo"' }] })
  const model = { provider: 'custom', default: 'm', base_url: server.url }
  await using stage = await openChatStage({ config: JSON.stringify({ model }) })
  const client = stage.connect()
  const { session_id } = await client.call('session.create', {})
  await say(client, session_id, 'How do I get to Oslo?')
  expect(await client.until((event) => event.type === 'session.title')).toEqual({ type: 'session.title', title: 'Trip to Oslo' })
  expect(server.requests.at(-1)?.raw).toContain('How do I get to Oslo?')
  expect(server.requests.at(-1)?.raw).toContain('By train.')
  expect(await command(client, session_id, '/title Holidays')).toBe('This session is called "Holidays".')
  expect(await client.call('session.resume', { session_id })).toMatchObject({ title: 'Holidays' })
})

test('one setting keeps models from writing titles', async () => {
  await using server = await startFakeOpenai({ models: ['m'], answers: [{ text: 'By train.' }, { text: 'By ship.' }] })
  const model = { provider: 'custom', default: 'm', base_url: server.url }
  await using stage = await openChatStage({ config: JSON.stringify({ model, sessions: { auto_title: false } }) })
  const client = stage.connect()
  const { session_id } = await client.call('session.create', {})
  await say(client, session_id, 'How do I get to Oslo?')
  await say(client, session_id, 'And back?')
  expect(client.events()).toContainEqual(expect.objectContaining({ type: 'message.complete', text: 'By ship.' }))
  expect(server.requests).toHaveLength(2)
})
