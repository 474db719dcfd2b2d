import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { InputPart, ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { openChatStage } from '../../../../test/support/chats/chat-stage.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import type { EventFrame } from '../protocol.ts'
import { type ChatJournal, openChatJournal } from './chat-journal.ts'
import type { KeptLine } from './kept-chat.ts'
import { recoverChats } from './recover-chats.ts'

const dead = { type: 'owner', pid: 2 ** 30, started: '1' } as const
const first = { type: 'prompt', id: 'a', ordinal: 0, input: [{ type: 'text', text: 'hello' }] } as const
const fileOf = (session: string): string => `chats/${session}.jsonl`
const format = (lines: readonly KeptLine[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

const endsOf = (events: readonly EventFrame[]): readonly string[] =>
  events.flatMap(({ event }) => {
    if (event.type === 'prompt.accepted') return [event.text]
    return event.type === 'message.complete' ? [`${event.text}: ${event.status}`] : []
  })

test('prompts that wait when the dashboard is stopped are there afterwards', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const { session_id } = await client.call('session.create', {})
  await client.call('prompt.submit', { session_id, text: 'stream 100000 tokens every 5 ms', id: 'a' })
  await client.call('prompt.submit', { session_id, text: 'stream 1 tokens', id: 'b' })
  await client.call('prompt.submit', { session_id, text: 'stream 2 tokens', id: 'c', truncate_before_user_ordinal: 2 })
  await client.until((event) => event.type === 'message.delta')
  await stage.restart()
  const { events } = await stage.connect().call('session.resume', { session_id })
  expect(endsOf(events)).toEqual([
    'stream 100000 tokens every 5 ms',
    expect.stringMatching(/^offline-1 .*: interrupted$/),
    'stream 1 tokens',
    ': interrupted',
    'stream 2 tokens',
    ': interrupted',
  ])
  const again = await stage.connect().call('session.resume', { session_id })
  expect(again.events).toEqual(events)
})

test('an entry that was taken back before the stop does not come again', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const { session_id } = await client.call('session.create', {})
  await client.call('prompt.submit', { session_id, text: 'stream 100000 tokens every 5 ms', id: 'a' })
  await client.call('prompt.submit', { session_id, text: 'not this', id: 'b' })
  await client.call('prompt.submit', { session_id, text: 'stream 1 tokens', id: 'c', truncate_before_user_ordinal: 1 })
  await stage.restart()
  const { events } = await stage.connect().call('session.resume', { session_id })
  const shown = endsOf(events)
  expect([shown.includes('not this'), shown.includes('stream 1 tokens')]).toEqual([false, true])
})

test('an answer that was stored just before the crash is not stored again', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const { session_id } = await client.call('session.create', {})
  await client.call('prompt.submit', { session_id, text: 'stream 2 tokens', id: 'a' })
  await client.until((event) => event.type === 'session.status' && event.status === 'idle')
  stage.home.write(fileOf(session_id), format([dead, first, { type: 'turn', id: 'a', before: 0 }, { type: 'said', text: 'offline-1 ' }]))
  await stage.restart()
  const { events } = await stage.connect().call('session.resume', { session_id })
  expect(endsOf(events)).toEqual(['stream 2 tokens', expect.stringMatching(/: complete$/)])
})

test('a session that was deleted since does not come back', async () => {
  await using stage = await openChatStage()
  stage.home.write(fileOf('ses_gone'), format([dead, { ...first, ordinal: 1 }, { type: 'turn', id: 'a', before: 2 }]))
  const failed = await stage.connect().fails('session.resume', { session_id: 'ses_gone' })
  expect(failed.data.code).toBe('SESSION_NOT_FOUND')
  expect(readFileSync(join(stage.home.home, fileOf('ses_gone')), 'utf8')).not.toContain('hello')
})

test('what cannot be stored now is kept for the next start', async () => {
  await using stage = await openChatStage({ config: 'model: { provider: nobody, default: m }\n' })
  stage.home.write(fileOf('ses_1'), format([dead, first, { type: 'turn', id: 'a', before: 0 }, { type: 'said', text: 'Good' }]))
  await stage.connect().fails('session.resume', { session_id: 'ses_1' })
  expect(existsSync(join(stage.home.home, fileOf('ses_1')))).toBe(true)
  stage.home.write('config.yaml', 'model: { provider: offline, default: offline }\n')
  await stage.restart()
  const { events } = await stage.connect().call('session.resume', { session_id: 'ses_1' })
  expect(endsOf(events)).toEqual(['hello', 'Good: interrupted'])
})

test('an edit that cannot be kept takes nothing away', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const { session_id } = await client.call('session.create', {})
  await client.call('prompt.submit', { session_id, text: 'stream 2 tokens', id: 'a' })
  await client.until((event) => event.type === 'session.status' && event.status === 'idle')
  const file = join(stage.home.home, fileOf(session_id))
  rmSync(file)
  mkdirSync(file)
  const failed = await client.fails('prompt.submit', { session_id, text: 'edited', id: 'b', truncate_before_user_ordinal: 0 })
  expect(failed.data.code).toBe('HOME_UNUSABLE')
  await stage.restart()
  const { events } = await stage.connect().call('session.resume', { session_id })
  expect(endsOf(events)).toEqual(['stream 2 tokens', expect.stringMatching(/: complete$/)])
})

interface Trouble {
  readonly journal?: Partial<ChatJournal>
  readonly stored?: (session: string) => void
}

/** Recovers the chats of a folder into a store in memory, as a start of the program does. */
function openRecovery(folder: string) {
  const clock = {
    now: () => 0,
    sleep: (_: number, signal?: AbortSignal) => new Promise<void>((_, reject) => signal?.addEventListener('abort', reject)),
  }
  const store = new Map<string, ModelMessage[]>()
  const sessions = {
    find: async (id: string) => (store.has(id) ? { messages: store.get(id)?.length } : undefined),
    history: async (id: string) => store.get(id) ?? [],
  }
  const start = async ({ journal = {}, stored = () => undefined }: Trouble = {}): Promise<void> => {
    const opened = openChatJournal({ folder, isDurable: false, clock, log: silentLog })
    const keep = async (id: string, messages: readonly ModelMessage[]): Promise<void> => {
      stored(id)
      store.set(id, [...(store.get(id) ?? []), ...messages])
    }
    const agent = {
      ...{ clock, log: silentLog },
      store: {
        sessions: {
          ...sessions,
          commit: ({ session, messages }: { session: { id: string }; messages: ModelMessage[] }) => keep(session.id, messages),
        },
      },
      turns: {
        keepCut: ({ input, beginAs }: { input: readonly InputPart[]; beginAs: string }, said: string) =>
          keep(beginAs, [
            { role: 'user', parts: input },
            { role: 'assistant', parts: [{ type: 'text', text: said }] },
          ]),
      },
    } as unknown as Parameters<typeof recoverChats>[0]['agent']
    await recoverChats({ agent, source: 'dashboard', journal: { ...opened, ...journal } }, new AbortController().signal)
    opened.close()
  }
  return { store, start }
}

const fail = (): never => {
  throw new Error('no')
}

test('a chat that cannot be stored keeps no other from it', async () => {
  using home = openTestHome()
  for (const session of ['ses_1', 'ses_2', 'ses_3']) home.write(fileOf(session), format([dead, first]))
  const { store, start } = openRecovery(join(home.home, 'chats'))
  await start({ stored: (session) => session === 'ses_2' && fail() })
  expect([...store.keys()]).toEqual(['ses_1', 'ses_3'])
  await start()
  expect([...store.values()].map(({ length }) => length)).toEqual([2, 2, 2])
})

test('a prompt that waited is stored once, though nobody could write down that it is', async () => {
  using home = openTestHome()
  const waited = { ...first, id: 'b', ordinal: 1 }
  home.write(fileOf('ses_1'), format([dead, first, waited]))
  const { store, start } = openRecovery(join(home.home, 'chats'))
  await start({ journal: { settle: fail } })
  await start({ journal: { settle: fail } })
  expect(store.get('ses_1')).toHaveLength(2)
  await start({ journal: { place: fail } })
  expect(store.get('ses_1')).toHaveLength(2)
  await start()
  expect(store.get('ses_1')).toHaveLength(4)
  await start()
  expect(store.get('ses_1')).toHaveLength(4)
})
