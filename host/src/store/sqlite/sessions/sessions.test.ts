import type { ModelMessage, Usage } from '@agent/plugin-sdk'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { NewSession, TurnRows } from '../../sessions.ts'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

const usage: Usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 1 }
const made: NewSession = { source: 'cli', provider: 'offline', model: 'offline', system: 'You are…', tools: '[]' }
const say = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
const reply = (text: string): ModelMessage => ({ role: 'assistant', parts: [{ type: 'text', text }] })
const turn = (id: string, more: Partial<TurnRows> & { create?: Partial<NewSession> } = {}): TurnRows => ({
  messages: [say('hello'), reply('hi')],
  usage,
  calls: 1,
  at: 1_000,
  ...more,
  session: { id, create: { ...made, ...more.create } },
})

test('a session made by its first turn keeps its prefix, counts usage and gives its messages back as they were', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await sessions.commit(turn('ses_a'))
  const messages: ModelMessage[] = [
    { role: 'user', parts: [{ type: 'image', url: 'data:image/png;base64,AA==' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'opaque', provider: 'anthropic', data: { signature: new Uint8Array([1, 2, 255]), $bytes: 'not bytes' } },
        { type: 'call', id: 'c1', name: 'terminal', args: '{broken' },
      ],
    },
    { role: 'tool', results: [{ id: 'c1', name: 'terminal', ok: false, text: 'no' }] },
  ]
  await sessions.commit(turn('ses_a', { messages, at: 2_000, create: { system: 'another' } }))
  const found = await sessions.find('ses_a')
  expect(found).toMatchObject({ system: 'You are…', messages: 5, calls: 2, startedAt: 1_000, lastAt: 2_000, title: null })
  expect(found?.usage).toEqual({ input: 20, output: 10, cacheRead: 6, cacheWrite: 4, reasoning: 2 })
  expect(await sessions.history('ses_a')).toEqual([say('hello'), reply('hi'), ...messages])
})

test('a turn for a session that is gone is refused and leaves nothing', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  const { create: _create, ...session } = turn('ses_gone').session
  await expect(sessions.commit({ ...turn('ses_gone'), session })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  expect(await sessions.history('ses_gone')).toEqual([])
})

test('one failing commit of a group gets its own error, the others are stored', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  const results = await Promise.allSettled([
    sessions.commit(turn('ses_a', { create: { key: 'k' } })),
    sessions.commit(turn('ses_b', { create: { key: 'k' } })),
    sessions.rename('ses_missing', 'x'),
    sessions.commit(turn('ses_c')),
  ])
  expect(results.map((result) => (result.status === 'fulfilled' ? 'ok' : result.reason.code))).toEqual([
    'ok',
    'SESSION_WAITING',
    'SESSION_NOT_FOUND',
    'ok',
  ])
  expect((await sessions.list({ limit: 10 })).map((row) => row.id)).toEqual(['ses_c', 'ses_a'])
})

test('a key leads to the session that has not ended, and is free once it has', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await sessions.commit(turn('ses_a', { create: { key: 'irc:#room' } }))
  expect((await sessions.byKey('irc:#room'))?.id).toBe('ses_a')
  await sessions.end('ses_a', 'reset')
  expect(await sessions.byKey('irc:#room')).toBeUndefined()
  await sessions.commit(turn('ses_b', { create: { key: 'irc:#room' } }))
  await sessions.commit(turn('ses_a'))
  expect((await sessions.byKey('irc:#room'))?.id).toBe('ses_b')
  expect((await sessions.find('ses_a'))?.endReason).toBe('reset')
})

test('titles are cleaned, unique and numbered by lineage', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  for (const id of ['ses_a', 'ses_b', 'ses_c']) await sessions.commit(turn(id))
  expect(await sessions.rename('ses_a', ' My\tpl\u200ban\u202e \u0007')).toBe('My plan')
  await expect(sessions.rename('ses_b', 'My plan')).rejects.toMatchObject({ code: 'TITLE_TAKEN' })
  await expect(sessions.rename('ses_b', '\u200b ')).rejects.toMatchObject({ code: 'TITLE_INVALID' })
  await expect(sessions.rename('ses_b', 'x'.repeat(101))).rejects.toMatchObject({ code: 'TITLE_INVALID' })
  expect(await sessions.rename('ses_c', 'a \u200b \u200b b')).toBe('a b')
  expect(await sessions.nextTitle('My plan')).toBe('My plan #2')
  expect(await sessions.rename('ses_b', 'My plan #9')).toBe('My plan #9')
  expect(await sessions.nextTitle('My plan #9')).toBe('My plan #10')
  await sessions.commit(turn('ses_d', { create: { title: 'My plan' } }))
  expect((await sessions.find('ses_d'))?.title).toBe('My plan #10')
  await sessions.rename('ses_c', 'y'.repeat(100))
  expect(await sessions.nextTitle('y'.repeat(100))).toBe(`${'y'.repeat(97)} #2`)
  const blankAtTheCut = `${'z'.repeat(96)} zz`
  await sessions.rename('ses_c', blankAtTheCut)
  expect(await sessions.nextTitle(blankAtTheCut)).toBe(`${'z'.repeat(96)} #2`)
})

test('what goes wrong in the file is not told as a name that is taken', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await sessions.commit(turn('ses_a'))
  const database = new Database(temporary.file)
  for (const event of ['INSERT', 'UPDATE'])
    database.exec(`CREATE TRIGGER no_${event} BEFORE ${event} ON sessions BEGIN SELECT RAISE(ABORT, 'broken'); END`)
  database.close()
  await expect(sessions.rename('ses_a', 'plan')).rejects.toMatchObject({ code: 'INTERNAL' })
  await expect(sessions.commit(turn('ses_b', { create: { key: 'k' } }))).rejects.toMatchObject({ code: 'INTERNAL' })
})

test('a session is found by id, title, beginning of its id or as the latest', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await sessions.commit(turn('ses_01abc', { at: 1, create: { title: 'plan' } }))
  await sessions.commit(turn('ses_01abd', { at: 3, create: { title: 'plan' } }))
  await sessions.commit(turn('ses_02xyz', { at: 2, create: { source: 'irc' } }))
  await sessions.commit(turn('ses_03empty', { at: 9, messages: [] }))
  const resolve = async (reference: string, sources?: string[]) => (await sessions.resolve(reference, sources ? { sources } : {})).id
  expect(await resolve('ses_01abc')).toBe('ses_01abc')
  expect((await sessions.resolve('latest')).id).toBe('ses_01abd')
  expect(await resolve('plan')).toBe('ses_01abd')
  expect(await resolve('plan #2')).toBe('ses_01abd')
  expect(await resolve('02')).toBe('ses_02xyz')
  expect(await resolve('ses_01abc'.slice(0, 9))).toBe('ses_01abc')
  expect(await resolve('latest')).toBe('ses_01abd')
  expect(await resolve('latest', ['irc', 'x'])).toBe('ses_02xyz')
  await expect(resolve('ses_01')).rejects.toMatchObject({ code: 'SESSION_AMBIGUOUS', params: { matches: 'ses_01abc, ses_01abd' } })
  await expect(resolve('nobody')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  await expect(resolve('latest', ['tui'])).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  await sessions.commit(turn('ses_04', { at: 0, create: { title: 'plan' } }))
  expect([await resolve('plan'), await resolve('plan #2'), await resolve('plan #3')]).toEqual(['ses_04', 'ses_01abd', 'ses_04'])
  await expect(resolve('plan #4')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

test('lists are newest first, by page and source, with the beginning of the first question', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  for (const n of [1, 2, 3]) await sessions.commit(turn(`ses_${n}`, { at: n, messages: [say(`question ${n}`), reply('x')] }))
  await sessions.commit(turn('ses_i', { at: 4, create: { source: 'irc' } }))
  expect((await sessions.list({ limit: 2, offset: 1 })).map((row) => row.preview)).toEqual(['question 3', 'question 2'])
  expect((await sessions.list({ limit: 9, source: 'irc' })).map((row) => row.id)).toEqual(['ses_i'])
  await sessions.commit(turn('ses_e', { at: 5, messages: [reply('x')] }))
  expect((await sessions.list({ limit: 1 })).map((row) => [row.id, row.preview])).toEqual([['ses_e', '']])
})

test('search finds words, phrases and prefixes, and takes anything that a person may type', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await sessions.commit(turn('ses_a', { messages: [say('Why is the state-of-the-art database café locked?'), reply('Because…')] }))
  await sessions.commit(turn('ses_b', { messages: [say('database'), reply('a locked café door')], create: { source: 'irc' } }))
  const find = async (query: string, source?: string) =>
    (await sessions.search(query, { limit: 10, ...(source && { source }) })).map((hit) => hit.session)
  expect(await find('database locked')).toEqual(['ses_a'])
  expect((await find('cafe')).sort()).toEqual(['ses_a', 'ses_b'])
  expect(await find('state-of-the-art')).toEqual(['ses_a'])
  expect(await find('"locked cafe"')).toEqual(['ses_b'])
  expect(await find('datab*', 'irc')).toEqual(['ses_b'])
  expect(await find('datab')).toEqual([])
  for (const odd of ['', '"', 'a "b', '---', '*', 'NOT', 'text:x', '(', 'NEAR(a b)', "'", '^a', 'a AND', '{x}', '\0']) {
    expect(Array.isArray(await find(odd))).toBe(true)
  }
  const [hit] = await sessions.search('locked', { limit: 1, source: 'cli' })
  expect(hit?.snippet).toContain('>>>locked<<<')
  await sessions.commit(turn('ses_c', { messages: [say('first\n\n  second\tthird')] }))
  expect((await sessions.search('second', { limit: 1 }))[0]?.snippet).toBe('first >>>second<<< third')
})

test('a deleted session is gone from list, search and history; its children stay', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await sessions.commit(turn('ses_a'))
  await sessions.commit(turn('ses_b', { create: { parent: 'ses_a' }, messages: [say('other'), reply('x')] }))
  await sessions.delete('ses_a')
  expect(await sessions.find('ses_a')).toBeUndefined()
  expect(await sessions.history('ses_a')).toEqual([])
  expect(await sessions.search('hello', { limit: 5 })).toEqual([])
  expect((await sessions.find('ses_b'))?.parent).toBeNull()
  await expect(sessions.delete('ses_a')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

test('every stored message is found, by another process too, and none that was deleted before it was indexed', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  const { sessions: other } = await temporary.open()
  await sessions.commit(turn('ses_gone', { messages: [say('needle')] }))
  await sessions.delete('ses_gone')
  for (let n = 0; n < 3; n++) {
    await sessions.commit(turn('ses_a', { messages: Array.from({ length: 100 }, (_, m) => say(`needle ${n} ${m}`)) }))
  }
  expect(await other.search('needle', { limit: 1_000 })).toHaveLength(300)
  await other.commit(turn('ses_b', { messages: [say('needle')] }))
  expect(await sessions.search('needle', { limit: 1_000 })).toHaveLength(301)
  await sessions.delete('ses_a')
  expect((await other.search('needle', { limit: 1_000 })).map((hit) => hit.session)).toEqual(['ses_b'])
  const database = new Database(temporary.file)
  expect(() => database.exec("INSERT INTO message_text (message_text) VALUES ('integrity-check')")).not.toThrow()
  database.close()
})

test('search answers with what is indexed while another process keeps the file locked', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open({ lockWaitMs: 1 })
  await sessions.commit(turn('ses_a', { messages: [say('needle')] }))
  expect(await sessions.search('needle', { limit: 5 })).toHaveLength(1)
  await sessions.commit(turn('ses_a', { messages: [say('needle')] }))
  const other = new Database(temporary.file)
  other.exec('BEGIN IMMEDIATE')
  expect(await sessions.search('needle', { limit: 5 })).toHaveLength(1)
  expect(temporary.warnings).toEqual(['New messages cannot be searched yet.'])
  other.close()
  expect(await sessions.search('needle', { limit: 5 })).toHaveLength(2)
})

test('equal prefixes are stored once and go with their last session', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  for (const id of ['ses_a', 'ses_b']) await sessions.commit(turn(id))
  const database = new Database(temporary.file)
  const texts = database.prepare('SELECT count(*) FROM texts').pluck()
  expect(texts.get()).toBe(2)
  await sessions.delete('ses_a')
  expect((await sessions.find('ses_b'))?.system).toBe('You are…')
  await sessions.delete('ses_b')
  expect(texts.get()).toBe(0)
  await sessions.commit(turn('ses_c'))
  expect((await sessions.find('ses_c'))?.tools).toBe('[]')
  database.close()
})

test('an export holds the session and every message in order, over more than one page', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  const messages = Array.from({ length: 450 }, (_, n) => (n % 2 === 0 ? say(`${n}`) : reply(`${n}`)))
  await sessions.commit(turn('ses_a', { messages }))
  const lines = []
  for await (const line of sessions.export('ses_a')) lines.push(line)
  expect(lines[0]).toMatchObject({ type: 'session', session: { id: 'ses_a', messages: 450 } })
  expect(lines.slice(1).map((line) => line.type === 'message' && line.message)).toEqual(messages)
  const read = async (): Promise<void> => {
    for await (const line of sessions.export('ses_none')) void line
  }
  await expect(read()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

test('a session that is cut keeps its first messages, and search finds no other', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await sessions.commit(turn('ses_a', { messages: [say('about roses'), reply('red')] }))
  await sessions.commit(turn('ses_a', { messages: [say('about tulips'), reply('yellow')] }))
  await sessions.commit(turn('ses_b', { messages: [say('of tulips'), reply('white')] }))
  expect(await sessions.search('tulips', { limit: 5 })).toHaveLength(2)
  await sessions.truncate('ses_a', 2)
  expect(await sessions.history('ses_a')).toEqual([say('about roses'), reply('red')])
  expect(await sessions.find('ses_a')).toMatchObject({ messages: 2, calls: 2 })
  expect((await sessions.search('tulips', { limit: 5 })).map(({ session }) => session)).toEqual(['ses_b'])
  await sessions.truncate('ses_a', 9)
  expect(await sessions.find('ses_a')).toMatchObject({ messages: 2 })
  await sessions.truncate('ses_a', 0)
  expect(await sessions.history('ses_a')).toEqual([])
  await expect(sessions.truncate('ses_gone', 0)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

test('what was said last is taken back with all that came of it, turn by turn, and compressions of it with it', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await sessions.commit(turn('ses_a', { messages: [say('first'), reply('one')] }))
  const call: ModelMessage = { role: 'assistant', parts: [{ type: 'call', id: 'c1', name: 'terminal', args: '{}' }] }
  const result: ModelMessage = { role: 'tool', results: [{ id: 'c1', name: 'terminal', ok: true, text: 'done' }] }
  const notes = { upTo: 4, messages: [say('notes')], reason: 'asked', tokensBefore: 9, tokensAfter: 2 } as const
  await sessions.commit(turn('ses_a', { messages: [say('second'), call, result, reply('two')], compressions: [notes], context: 50 }))
  await sessions.commit(turn('ses_b', { messages: [say('other'), reply('three')] }))
  expect(await sessions.heard('ses_a')).toEqual([say('notes'), result, reply('two')])
  expect(await sessions.takeBack('ses_a')).toEqual({ text: 'second', messages: 4, kept: 2 })
  expect(await sessions.heard('ses_a')).toEqual([say('first'), reply('one')])
  expect(await sessions.find('ses_a')).toMatchObject({ messages: 2, context: null, calls: 2 })
  expect(await sessions.search('second', { limit: 5 })).toEqual([])
  expect(await sessions.takeBack('ses_a')).toEqual({ text: 'first', messages: 2, kept: 0 })
  expect(await sessions.takeBack('ses_a')).toBeUndefined()
  expect(await sessions.history('ses_b')).toHaveLength(2)
  await expect(sessions.takeBack('ses_gone')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

test('a branch has all that was said and was noted, its parent and the next title; the session that it comes from goes on apart', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  const notes = { upTo: 2, messages: [say('notes')], reason: 'asked', tokensBefore: 9, tokensAfter: 2 } as const
  const create = { key: 'irc:ann', title: 'plan', workspace: '/work', owner: 'owner' }
  await sessions.commit(turn('ses_a', { create, compressions: [notes], context: 40 }))
  const before = await sessions.find('ses_a')
  const made = await sessions.branch('ses_a', { as: 'ses_b' })
  expect(made).toMatchObject({
    id: 'ses_b',
    parent: 'ses_a',
    title: 'plan #2',
    key: null,
    messages: 2,
    context: 40,
    owner: 'owner',
    calls: 0,
  })
  expect(made).toMatchObject({ system: before?.system, tools: before?.tools, workspace: '/work', usage: { input: 0, reasoning: 0 } })
  expect(await sessions.find('ses_a')).toEqual(before)
  await sessions.commit(turn('ses_b', { messages: [say('more'), reply('yes')] }))
  expect(await sessions.heard('ses_b')).toEqual([say('notes'), say('more'), reply('yes')])
  expect(await sessions.history('ses_a')).toEqual([say('hello'), reply('hi')])
  expect((await sessions.search('hello', { limit: 5 })).map(({ session }) => session).sort()).toEqual(['ses_a', 'ses_b'])
  expect((await sessions.branch('ses_b', { as: 'ses_c', title: 'other' })).title).toBe('other')
  await sessions.delete('ses_a')
  expect(await sessions.find('ses_b')).toMatchObject({ parent: null, messages: 4 })
})

test('a branch that takes the place of a session has its key, and the other has ended; nothing is left of one that fails', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await sessions.commit(turn('ses_a', { create: { key: 'irc:ann' } }))
  await expect(sessions.branch('ses_a', { as: 'ses_x', takesPlace: true, title: '\u200b' })).rejects.toMatchObject({
    code: 'TITLE_INVALID',
  })
  expect(await sessions.byKey('irc:ann')).toMatchObject({ id: 'ses_a', endedAt: null })
  const made = await sessions.branch('ses_a', { as: 'ses_b', takesPlace: true })
  expect(made).toMatchObject({ key: 'irc:ann', title: null, endedAt: null })
  expect(await sessions.byKey('irc:ann')).toEqual(made)
  expect(await sessions.find('ses_a')).toMatchObject({ endReason: 'branch', key: 'irc:ann', messages: 2 })
  expect((await sessions.branch('ses_a', { as: 'ses_c', takesPlace: true })).key).toBeNull()
  await expect(sessions.branch('ses_gone', { as: 'ses_d' })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

test('a conversation goes on with a session that it has had, and with no other', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  const mine = { key: 'k', owner: 'ann' }
  await sessions.commit(turn('ses_old', { create: mine }))
  await sessions.end('ses_old', 'idle')
  await sessions.commit(turn('ses_elsewhere', { create: { key: 'other', owner: 'ann' } }))
  await sessions.commit(turn('ses_bert', { create: { key: 'k', owner: 'bert' } }))
  await sessions.end('ses_bert', 'new')
  await sessions.commit(turn('ses_now', { at: 2_000, create: mine }))
  expect((await sessions.list({ limit: 9, of: mine })).map(({ id }) => id)).toEqual(['ses_now', 'ses_old'])
  for (const id of ['ses_elsewhere', 'ses_bert', 'ses_gone']) expect(await sessions.reopen(id, mine)).toBe(false)
  expect((await sessions.byKey('k'))?.id).toBe('ses_now')
  expect(await sessions.reopen('ses_old', mine)).toBe(true)
  expect(await sessions.byKey('k')).toMatchObject({ id: 'ses_old', endedAt: null, endReason: null })
  expect(await sessions.find('ses_now')).toMatchObject({ endReason: 'resume' })
  expect(await sessions.reopen('ses_old', mine)).toBe(true)
  expect((await sessions.byKey('k'))?.id).toBe('ses_old')
})
