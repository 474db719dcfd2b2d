import { expect, test } from 'vitest'
import type { Sessions } from '../../sessions.ts'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

async function add(sessions: Sessions, id: string, parent: string | null, source = 'subagent'): Promise<void> {
  const create = { ...{ source, parent, provider: 'p', model: 'm', system: '', tools: '[]' } }
  const messages = [{ role: 'user', parts: [{ type: 'text', text: id }] }] as const
  await sessions.commit({ session: { id, create }, messages, usage, calls: 0, at: 1 })
}

async function endsOf(sessions: Sessions): Promise<Readonly<Record<string, string | null | undefined>>> {
  const ids = ['talk', 'one', 'two', 'two.a', 'two.b', 'branch', 'other']
  return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, (await sessions.find(id))?.endReason] as const)))
}

/** A talk with two children, of which one has two and has ended; a branch of the talk; a stranger's child. */
async function fill(sessions: Sessions): Promise<void> {
  await add(sessions, 'talk', null, 'cli')
  await add(sessions, 'one', 'talk')
  await add(sessions, 'two', 'talk')
  for (const id of ['two.a', 'two.b']) await add(sessions, id, 'two')
  await sessions.end('two', 'completed')
  await sessions.end('two.a', 'completed')
  await add(sessions, 'branch', 'talk', 'cli')
  await add(sessions, 'other', 'elsewhere')
}

test('child agents end with all that are below them, also below one that has ended; a branch goes on', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await fill(sessions)
  await sessions.endChildren('talk', 'interrupted')
  const ended = { one: 'interrupted', two: 'completed', 'two.a': 'completed', 'two.b': 'interrupted' }
  expect(await endsOf(sessions)).toEqual({ ...ended, talk: null, branch: null, other: null })
})

test('parents that name each other in a circle end too, and the session itself goes on', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await add(sessions, 'one', 'two')
  await add(sessions, 'two', 'one')
  await sessions.endChildren('one', 'interrupted')
  expect(await endsOf(sessions)).toMatchObject({ one: null, two: 'interrupted' })
})
