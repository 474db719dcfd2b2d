import { expect, test } from 'vitest'
import type { Sessions } from '../../sessions.ts'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const message = { role: 'user', parts: [{ type: 'text', text: 'hello' }] } as const

async function fill(sessions: Sessions): Promise<void> {
  for (const at of [1, 2, 3, 4]) {
    const create = { source: 'cli', provider: 'p', model: 'm', system: `prompt ${at}`, tools: '[]' }
    await sessions.commit({ session: { id: `ses_${at}`, create }, messages: [message], usage, calls: 0, at })
  }
}

const idsOf = (found: readonly { readonly id: string }[]): readonly string[] => found.map(({ id }) => id)

test('those that nobody has used since are old, but for the newest and those that a person gave a title', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await fill(sessions)
  await sessions.rename('ses_2', 'plan')
  await sessions.suggestTitle('ses_3', 'by a model')
  expect(idsOf(await sessions.old({ before: 4, keep: 0, titled: false }))).toEqual(['ses_1', 'ses_3'])
  expect(idsOf(await sessions.old({ before: 4, keep: 0, titled: true }))).toEqual(['ses_1', 'ses_2', 'ses_3'])
  expect(idsOf(await sessions.old({ before: 9, keep: 2, titled: true }))).toEqual(['ses_1', 'ses_2'])
  expect(await sessions.old({ before: 9, keep: 0, titled: true })).toHaveLength(4)
  expect((await sessions.old({ before: 2, keep: 0, titled: false }))[0]).toMatchObject({ preview: 'hello', messages: 1 })
})

test('one that is used or named before it goes stays, and what went leaves nothing', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await fill(sessions)
  await sessions.branch('ses_1', { as: 'ses_5' })
  const rule = { before: 4, keep: 0, titled: false }
  const found = await sessions.old(rule)
  temporary.clock.time = 10
  expect(await sessions.touch('ses_2')).toBe(true)
  await sessions.rename('ses_3', 'plan')
  expect(await sessions.deleteOld(found, rule)).toBe(1)
  expect(idsOf(await sessions.list({ limit: 9 })).toSorted()).toEqual(['ses_2', 'ses_3', 'ses_4', 'ses_5'])
  expect(await sessions.find('ses_5')).toMatchObject({ parent: null, messages: 1, system: 'prompt 1' })
  expect(await sessions.touch('ses_1')).toBe(false)
  expect(await sessions.find('ses_2')).toMatchObject({ lastAt: 10 })
})
