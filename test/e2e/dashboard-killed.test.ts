// @module-tag process
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { EventFrame } from '../../host/src/rpc/protocol.ts'
import { type ChatClient, createChatClient } from '../support/chats/chat-client.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { type RunningDashboard, startDashboard } from '../support/servers/start-dashboard.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const token = 'one-token-for-both-dashboards'

async function connect({ url }: RunningDashboard): Promise<ChatClient> {
  const asked = await fetch(new URL('api/auth/ticket', url), { method: 'POST', headers: { 'X-Agent-Session-Token': token } })
  const { ticket } = (await asked.json()) as { readonly ticket: string }
  return createChatClient(new WebSocket(`${url.replace('http', 'ws')}api/ws?ticket=${ticket}`))
}

interface Stage extends AsyncDisposable {
  readonly home: TestHome
  /** The page of the process that runs now. */
  client(): ChatClient
  /** Kills the process at once and starts the next one. */
  kill(): Promise<void>
}

async function openStage(config: string): Promise<Stage> {
  const home = openTestHome()
  home.write('config.yaml', config)
  let running = await startDashboard(home, 0, token)
  let client = await connect(running)
  const end = async (): Promise<void> => {
    await running.end('SIGKILL')
    client.socket.terminate()
  }
  return {
    home,
    client: () => client,
    kill: async () => {
      await end()
      running = await startDashboard(home, 0, token)
      client = await connect(running)
    },
    [Symbol.asyncDispose]: async () => {
      await end()
      home[Symbol.dispose]()
    },
  }
}

/** What a person reads: prompts, words and calls, and how each answer ended. */
function shownOf(frames: readonly EventFrame[]): readonly string[] {
  const shown: string[] = []
  for (const { event } of frames) {
    if (event.type === 'prompt.accepted') shown.push(`> ${event.text}`)
    if (event.type === 'message.start') shown.push('')
    if (event.type === 'message.delta') shown.push(`${shown.pop()}${event.text}`)
    if (event.type === 'tool.start') shown.push(`call ${event.name}`, '')
    if (event.type === 'tool.complete' && !event.ok) shown.push(`lost ${event.name}`, '')
    if (event.type === 'message.complete') shown.push(`= ${event.status}`)
  }
  return shown.filter((line) => line !== '')
}

const words = (count: number): string => Array.from({ length: count }, (_, index) => `offline-${index + 1}`).join(' ')
const offline = 'model: { provider: offline, default: offline }\n'
const stream = 'stream 400 tokens every 20 ms'

async function say(client: ChatClient, session_id: string, text: string, id: string): Promise<void> {
  await client.call('prompt.submit', { session_id, text, id })
}

const untilWord = (client: ChatClient, word: string) =>
  client.until((event) => event.type === 'message.delta' && event.text.split(' ').includes(word))
const untilEnd = (client: ChatClient, count: number) =>
  client.until((event) => {
    const ends = client.frames.filter((frame) => frame.event.type === 'message.complete')
    return event.type === 'message.complete' && ends.findIndex((frame) => frame.event === event) === count - 1
  })

test.each([
  { which: 'first', earlier: [] },
  { which: 'second', earlier: ['stream 2 tokens'] },
])(
  'a process killed in the $which turn of a session leaves every word that was told, and the next turn hears them',
  {
    timeout: 120_000,
  },
  async ({ earlier }) => {
    await using stage = await openStage(offline)
    const before = stage.client()
    const { session_id } = await before.call('session.create', {})
    for (const text of earlier) {
      await say(before, session_id, text, text)
      await untilEnd(before, 1)
    }
    await say(before, session_id, stream, 'cut')
    await untilWord(before, 'offline-20')
    await stage.kill()
    const seen = shownOf(before.frames)
    const client = stage.client()
    expect(await client.call('session.events.since', { session_id, seq: before.frames.at(-1)?.seq ?? 0 })).toEqual({
      events: [],
      gap: true,
    })
    const { events, status } = await client.call('session.resume', { session_id })
    const shown = shownOf(events)
    const answer = shown.at(-2) ?? ''
    expect(shown).toEqual([...seen.slice(0, -1), answer, '= interrupted'])
    // A word may be written that was not told any more, never the other way round.
    expect(answer.trim()).toBe(words(answer.trim().split(' ').length))
    expect(answer.startsWith(seen.at(-1) ?? '')).toBe(true)
    expect(status).toBe('idle')

    // A page that heard nothing of it sends it again.
    expect(await client.call('prompt.submit', { session_id, text: stream, id: 'cut' })).toEqual({ accepted: true, ordinal: earlier.length })
    await say(client, session_id, 'stream 1 tokens', 'next')
    await untilEnd(client, 1)
    await stage.kill()
    const again = await stage.client().call('session.resume', { session_id })
    expect(shownOf(again.events)).toEqual([...shown, '> stream 1 tokens', expect.stringContaining('offline-1'), '= complete'])
  },
)

test('a process killed while a tool runs leaves what was said before it, and nobody knows what became of the call', {
  timeout: 120_000,
}, async () => {
  await using stage = await openStage(`${offline}approvals: { mode: off }\n`)
  const before = stage.client()
  const { session_id } = await before.call('session.create', {})
  await say(before, session_id, 'stream 3 tokens and run sleep 20', 'cut')
  await before.until((event) => event.type === 'tool.start')
  await stage.kill()
  const { events } = await stage.client().call('session.resume', { session_id })
  expect(shownOf(events)).toEqual([...shownOf(before.frames), 'lost terminal', '= interrupted'])
})

test('what a model hears after a crash is the answer so far with its note, and a prompt that nobody had begun', {
  timeout: 120_000,
}, async () => {
  await using server = await startFakeOpenai({ models: ['m'], answers: [{ text: 'One two three', hang: 'body' }, { text: 'Yes.' }] })
  const model = { provider: 'custom', default: 'm', base_url: server.url }
  await using stage = await openStage(JSON.stringify({ model, sessions: { auto_title: false } }))
  const before = stage.client()
  const { session_id } = await before.call('session.create', {})
  await say(before, session_id, 'first', 'a')
  await before.until((event) => event.type === 'message.delta')
  await say(before, session_id, 'second', 'b')
  await stage.kill()
  const client = stage.client()
  const { events } = await client.call('session.resume', { session_id })
  expect(shownOf(events)).toEqual(['> first', 'One two three', '= interrupted', '> second', '= interrupted'])
  await say(client, session_id, 'third', 'c')
  await untilEnd(client, 1)
  const heard = (server.requests.at(-1)?.body.messages ?? []) as readonly { readonly role: string; readonly content: string }[]
  expect(heard.slice(1).map(({ role, content }) => [role, content])).toEqual([
    ['user', 'first'],
    ['assistant', 'One two three\n[interrupted]'],
    ['user', 'second'],
    ['assistant', '[interrupted]'],
    ['user', 'third'],
  ])
})

test('a session that was given out before the crash takes its first message after it', { timeout: 120_000 }, async () => {
  await using stage = await openStage(offline)
  const { session_id } = await stage.client().call('session.create', {})
  await stage.kill()
  const client = stage.client()
  expect(await client.call('session.resume', { session_id })).toMatchObject({ events: [], status: 'idle' })
  await say(client, session_id, 'stream 1 tokens', 'a')
  await untilEnd(client, 1)
})
