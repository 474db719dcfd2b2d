import type { ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { formatExport } from '../../exported/format-export.ts'
import { readExport } from '../../exported/read-export.ts'
import type { Exported, Sessions } from '../../sessions.ts'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

const usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 1 }
const create = { source: 'irc', provider: 'p', model: 'm', system: 'You are…', tools: '[]', key: 'irc:ann', title: 'plan', owner: 'ann' }
const say = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
const signed: ModelMessage = { role: 'assistant', parts: [{ type: 'opaque', provider: 'p', data: new Uint8Array([1, 255]) }] }
const notes = { upTo: 2, messages: [say('notes')], reason: 'asked', tokensBefore: 9, tokensAfter: 2 } as const

async function fill(sessions: Sessions): Promise<void> {
  const rows = { messages: [say('hello'), signed], usage, calls: 1 }
  await sessions.commit({ ...rows, session: { id: 'ses_a', create }, at: 1, compressions: [notes], context: 70 })
  await sessions.commit({ ...rows, session: { id: 'ses_a' }, at: 5 })
}

async function exported(sessions: Sessions, id: string): Promise<string> {
  const lines: string[] = []
  for await (const line of sessions.export(id)) lines.push(formatExport(line))
  return lines.join('\n')
}

const read = (text: string): Exported => readExport('file', text)

test('a session that is imported elsewhere is exported with the same bytes, but for its key', async () => {
  await using one = await createTemporaryStore()
  await using two = await createTemporaryStore()
  const [from, to] = [(await one.open()).sessions, (await two.open()).sessions]
  await fill(from)
  await from.end('ses_a', 'new')
  const text = await exported(from, 'ses_a')
  expect((await to.import(read(text), { otherId: 'ses_other' })).was).toBe('free')
  expect(await exported(to, 'ses_a')).toBe(text.replace('"key":"irc:ann"', '"key":null'))
  expect(await to.heard('ses_a')).toEqual(await from.heard('ses_a'))
  expect(await to.search('hello', { limit: 5 })).toHaveLength(2)
  expect(await to.byKey('irc:ann')).toBeUndefined()
})

test('where its id is taken it gets another one and the next title, and the session that is there stays', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  await fill(sessions)
  const before = await exported(sessions, 'ses_a')
  const { session, was } = await sessions.import(read(before), { otherId: 'ses_b' })
  expect([was, session.id, session.title, session.titledBy]).toEqual(['taken', 'ses_b', 'plan #2', 'person'])
  expect(await exported(sessions, 'ses_a')).toBe(before)
  await sessions.rename('ses_a', 'other')
  const third = await sessions.import(read(before), { otherId: 'ses_c' })
  expect(third.session.title).toBe('plan')
})

test('it replaces the one with its id where that is asked for, whose branches stay with it', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  await fill(sessions)
  const before = await exported(sessions, 'ses_a')
  await sessions.branch('ses_a', { as: 'ses_b' })
  await sessions.takeBack('ses_a')
  const { was } = await sessions.import(read(before), { otherId: 'ses_c', replace: true })
  expect(was).toBe('replaced')
  expect(await exported(sessions, 'ses_a')).toBe(before.replace('"key":"irc:ann"', '"key":null'))
  expect(await sessions.find('ses_b')).toMatchObject({ parent: 'ses_a' })
  const orphan = await sessions.import(read((await exported(sessions, 'ses_b')).replace('"parent":"ses_a"', '"parent":"ses_gone"')), {
    otherId: 'ses_d',
  })
  expect(orphan.session.parent).toBeNull()
})

test('one that cannot be written leaves nothing, and the one that it was to replace stays', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  await fill(sessions)
  const before = await exported(sessions, 'ses_a')
  const bad = read(before.replace('"title":"plan"', '"title":"\u200b"'))
  for (const replace of [true, false])
    await expect(sessions.import(bad, { otherId: 'ses_b', replace })).rejects.toMatchObject({ code: 'TITLE_INVALID' })
  expect(await exported(sessions, 'ses_a')).toBe(before)
  expect((await sessions.list({ limit: 5 })).map(({ id }) => id)).toEqual(['ses_a'])
})
