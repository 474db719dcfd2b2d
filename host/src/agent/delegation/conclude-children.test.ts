import { expect, test } from 'vitest'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { noUsage } from '../turn/ask-model.ts'
import { concludeLost } from './conclude-children.ts'

test('a child agent that the journal knows of ends with those below it; one that left nothing is no reason to stop', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  const made = { source: 'subagent', provider: 'p', model: 'm', system: '', tools: '[]' }
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }] as const
  for (const [id, parent] of [
    ['one', 'talk'],
    ['two', 'talk'],
    ['two.a', 'two'],
  ] as const)
    await sessions.commit({ session: { id, create: { ...made, parent } }, messages, usage: noUsage, calls: 0, at: 1 })
  await sessions.end('two', 'completed')
  await concludeLost(sessions, [
    { type: 'child', session: 'gone' },
    { type: 'child', session: 'two' },
  ])
  const ends = await Promise.all(['one', 'two', 'two.a'].map(async (id) => (await sessions.find(id))?.endReason))
  expect(ends).toEqual([null, 'completed', 'interrupted'])
})
