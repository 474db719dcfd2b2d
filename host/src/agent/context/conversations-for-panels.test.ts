import type { ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { TurnRows } from '#store/sessions.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { conversationsForPanels, type PanelConversationsParts } from './conversations-for-panels.ts'

const say = (role: 'user' | 'assistant', text: string): ModelMessage => ({ role, parts: [{ type: 'text', text }] })
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const create = { source: 'cli', provider: 'p', model: 'm', system: 'Be kind.', tools: '[{"name":"read"}]' }
const rows = (id: string, at: number, more: Partial<TurnRows> = {}): TurnRows => ({
  ...{ session: { id, create }, messages: [say('user', `ask ${id}`), say('assistant', 'so be it')], usage, calls: 1, at },
  ...more,
})

async function open(more: Partial<PanelConversationsParts> = {}) {
  const place = await createTemporaryStore()
  const { sessions } = await place.open()
  const signal = new AbortController().signal
  const parts: PanelConversationsParts = {
    turns: { compress: () => Promise.reject(new Error('nobody asks')) },
    loaded: { config: { compression: { enabled: true } as never } },
    length: { now: async () => ({ window: 8000, limit: 4000 }) },
    ...more,
    store: { sessions },
  }
  return { sessions, signal, ...conversationsForPanels(parts, signal), [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

const notes = { upTo: 2, messages: [say('user', 'Notes on it.'), say('assistant', 'so be it')], tokensBefore: 900, tokensAfter: 90 }

test('conversations are listed with what they take of the window of the model that answers now', async () => {
  await using opened = await open()
  const { sessions, list } = opened
  await sessions.commit(rows('ses_a', 1))
  await sessions.commit(rows('ses_b', 2, { context: 900 }))
  await sessions.commit(rows('ses_b', 3, { compressions: [{ ...notes, reason: 'threshold' }], context: 90 }))
  await sessions.rename('ses_b', 'Boats')
  expect(await list()).toEqual([
    { session: 'ses_b', title: 'Boats', source: 'cli', lastAt: 3, tokens: 90, window: 8000, limit: 4000, compressions: 1 },
    { session: 'ses_a', title: 'ask ses_a', source: 'cli', lastAt: 1, window: 8000, limit: 4000, compressions: 0 },
  ])
})

test('without a model there is no window, and where nothing is made shorter no limit', async () => {
  await using silent = await open({ length: { now: async () => undefined } })
  await silent.sessions.commit(rows('ses_a', 1, { context: 5 }))
  expect(await silent.list()).toEqual([{ session: 'ses_a', title: 'ask ses_a', source: 'cli', lastAt: 1, tokens: 5, compressions: 0 }])
  await using whole = await open({ length: { now: async () => ({ window: 8000, limit: undefined }) } })
  await whole.sessions.commit(rows('ses_a', 1))
  expect(await whole.list()).toEqual([{ session: 'ses_a', title: 'ask ses_a', source: 'cli', lastAt: 1, window: 8000, compressions: 0 }])
})

test('one is looked at: its prompt, what takes how much, and the notes in place of what was left out', async () => {
  await using opened = await open()
  const { sessions, look } = opened
  await sessions.commit(rows('ses_a', 1))
  const before = await look({ session: 'ses_a' })
  expect(before).toMatchObject({ title: 'ses_a', messages: 2, prompt: 'Be kind.', notes: '', compressions: [], window: 8000, limit: 4000 })
  expect(before.parts.map(({ name, tokens }) => [name, tokens > 0])).toEqual([
    ...[
      ['prompt', true],
      ['tools', true],
    ],
    ...[
      ['notes', false],
      ['messages', true],
    ],
  ])
  await sessions.commit(rows('ses_a', 2, { messages: [], compressions: [{ ...notes, reason: 'overflow' }] }))
  const after = await look({ session: 'ses_a' })
  expect(after).toMatchObject({ notes: 'Notes on it.\n\nso be it', compressions: [{ at: 2, reason: 'overflow', before: 900, after: 90 }] })
  expect(after.parts.map(({ name, tokens }) => [name, tokens > 0])).toContainEqual(['messages', false])
  await expect(look({ session: 'ses_none' })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

test('one is made shorter with what is to be kept, unless the settings say that none is', async () => {
  const asked: unknown[] = []
  const compress: PanelConversationsParts['turns']['compress'] = async (...words) => {
    asked.push(words)
    return { ...notes, reason: 'asked' }
  }
  await using opened = await open({ turns: { compress } })
  expect(await opened.compress({ session: 'ses_a', keep: 'the boats' })).toContain('about 900 tokens became 90')
  await opened.compress({ session: 'ses_a' })
  expect(asked).toEqual([
    ['ses_a', 'the boats', opened.signal],
    ['ses_a', '', opened.signal],
  ])
  await using off = await open({ turns: { compress }, loaded: { config: { compression: { enabled: false } as never } } })
  expect(await off.compress({ session: 'ses_a' })).toContain('compression.enabled is off')
  expect(asked).toHaveLength(2)
})
