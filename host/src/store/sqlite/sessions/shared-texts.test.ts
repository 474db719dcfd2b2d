import { expect, test } from 'vitest'
import type { Sessions } from '../../sessions.ts'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

async function add(sessions: Sessions, id: string, system: string): Promise<void> {
  const create = { source: 'cli', provider: 'p', model: 'm', system, tools: `[${system.length}]` }
  const messages = [{ role: 'user', parts: [{ type: 'text', text: id }] }] as const
  await sessions.commit({ session: { id, create }, messages, usage, calls: 0, at: 1 })
}

test('each session has its prefix, also where more of them are in use than are kept', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  const numbers = Array.from({ length: 40 }, (_, number) => number)
  for (const number of numbers) await add(sessions, `ses_${number}`, `${'x'.repeat(number)} system`)
  for (const number of [...numbers, ...numbers.toReversed()])
    expect(await sessions.find(`ses_${number}`)).toMatchObject({ system: `${'x'.repeat(number)} system`, tools: `[${number + 7}]` })
})

test('the row of a deleted prefix that another one gets does not give it away', async () => {
  await using temporary = await createTemporaryStore()
  const [{ sessions }, other] = [await temporary.open(), await temporary.open()]
  await add(sessions, 'ses_a', 'first')
  expect((await sessions.find('ses_a'))?.system).toBe('first')
  await other.sessions.delete('ses_a')
  await add(other.sessions, 'ses_b', 'second one')
  expect(await sessions.find('ses_b')).toMatchObject({ system: 'second one', tools: '[10]' })
})
