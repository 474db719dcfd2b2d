import type { ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { Store } from '../../store.ts'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const say = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })

/** A session of one turn. */
function commit({ sessions }: Store, id: string, owner: string | null, texts: readonly string[], at = 1_000): Promise<void> {
  const create = { source: 'x', provider: 'p', model: 'm', system: '', tools: '[]', owner, title: id }
  return sessions.commit({ session: { id, create }, messages: texts.map(say), usage, calls: 1, at })
}

test('what was said is found by any of the words, the best match first, with its day and its number', async () => {
  await using temporary = await createTemporaryStore()
  const store = await temporary.open()
  await commit(store, 'ses_a', 'owner', ['good morning', 'my cat Minka likes tuna', 'the weather is fine'], 5_000)
  await commit(store, 'ses_b', 'owner', ['tuna is expensive'], 6_000)
  const found = await store.past.find({ owner: 'owner', query: 'What does my cat MINKA eat, tuna?', most: 5 })
  expect(found).toEqual([
    { session: 'ses_a', title: 'ses_a', role: 'user', at: 5_000, number: 2, text: 'my cat Minka likes tuna' },
    { session: 'ses_b', title: 'ses_b', role: 'user', at: 6_000, number: 1, text: 'tuna is expensive' },
  ])
  expect(await store.past.find({ owner: 'owner', query: 'what are you like', most: 5 })).toEqual([])
  expect(await store.past.find({ owner: 'owner', query: '"" - * :', most: 5 })).toEqual([])
  expect((await store.past.latest({ owner: 'owner', most: 5 })).map(({ session, text }) => [session, text])).toEqual([
    ['ses_b', 'tuna is expensive'],
    ['ses_a', 'good morning'],
  ])
  expect((await store.past.read({ owner: 'owner', session: 'ses_a', from: 2, most: 1 })).map(({ number, text }) => [number, text])).toEqual(
    [[2, 'my cat Minka likes tuna']],
  )
})

test('accents, apostrophes and case are no hindrance', async () => {
  await using temporary = await createTemporaryStore()
  const store = await temporary.open()
  await commit(store, 'ses_a', 'owner', ["Zoë's café is in Zürich"])
  for (const query of ['zoe', 'CAFÉ', "zurich's", 'Zürich?'])
    expect(await store.past.find({ owner: 'owner', query, most: 1 }), query).toHaveLength(1)
})

test('nothing of one owner is found, listed or read by another, whatever they ask', async () => {
  await using temporary = await createTemporaryStore()
  const store = await temporary.open()
  const owners = ['owner', 'person:a:x:ann', 'person:b:x:ann', 'group:a:x:ann', 'person:a:x:ann%', "person:a:x:' OR 1=1 --", null]
  for (const [at, owner] of owners.entries()) await commit(store, `ses_${at}`, owner, [`the secret number${at} of nobody else`])
  for (const [at, owner] of owners.entries()) {
    if (owner === null) continue
    for (const query of ['secret', 'secret OR nobody', '"secret"', 'numb*', owner, 'of nobody else', `number${(at + 1) % owners.length}`]) {
      const found = await store.past.find({ owner, query, most: 50 })
      expect(
        found.every(({ session }) => session === `ses_${at}`),
        `${owner}: ${query}`,
      ).toBe(true)
    }
    expect((await store.past.latest({ owner, most: 50 })).map(({ session }) => session)).toEqual([`ses_${at}`])
    const other = `ses_${(at + 1) % owners.length}`
    await expect(store.past.read({ owner, session: other, from: 1, most: 5 })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  }
  expect(await store.past.find({ owner: 'owner', query: 'secret', most: 50 })).toHaveLength(1)
})

test('a word that stands everywhere still finds what is newest of its owner', async () => {
  await using temporary = await createTemporaryStore()
  const store = await temporary.open()
  const many = Array.from({ length: 3_200 }, (_, at) => `river line ${at}`)
  await commit(store, 'ses_old', 'owner', ['the river of the first day'])
  await commit(store, 'ses_many', 'person:a:x:ann', many)
  expect((await store.past.find({ owner: 'owner', query: 'river', most: 5 })).map(({ session }) => session)).toEqual(['ses_old'])
  const newest = await store.past.find({ owner: 'person:a:x:ann', query: 'river line', most: 2 })
  expect(newest.map(({ number }) => number)).toEqual([3_200, 3_199])
  expect((await store.past.find({ owner: 'owner', query: 'river line', most: 5 })).map(({ session }) => session)).toEqual(['ses_old'])
})

test('a word is found as soon as it is said, also after a question that found nothing', async () => {
  await using temporary = await createTemporaryStore()
  const store = await temporary.open()
  await commit(store, 'ses_a', 'owner', ['good morning'])
  expect(await store.past.find({ owner: 'owner', query: 'tuna', most: 5 })).toEqual([])
  await commit(store, 'ses_b', 'owner', ['tuna is expensive'])
  expect((await store.past.find({ owner: 'owner', query: 'tuna', most: 5 })).map(({ session }) => session)).toEqual(['ses_b'])
})

test('the rarest word decides, wherever it stands in the question', async () => {
  await using temporary = await createTemporaryStore()
  const store = await temporary.open()
  await commit(store, 'ses_needle', 'owner', ['a needle'])
  await commit(
    store,
    'ses_many',
    'owner',
    Array.from({ length: 1_600 }, (_, at) => `river line ${at}`),
  )
  for (const query of ['river needle', 'needle river'])
    expect((await store.past.find({ owner: 'owner', query, most: 5 })).map(({ session }) => session)).toEqual(['ses_needle'])
})
