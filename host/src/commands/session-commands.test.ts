import { expect, test } from 'vitest'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { titleCommand } from './session-commands.ts'
import type { SlashCall } from './slash.ts'

test('a title that is taken gets the next number, also in a session that has begun', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  const create = { key: null, source: 'irc', provider: 'p', model: 'm', system: '', tools: '[]', workspace: '/' }
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  for (const session of ['ses_a', 'ses_b'])
    await sessions.commit({ session: { id: session, create }, at: 1, messages: [], usage, calls: 0 })
  const said: string[] = []
  const title = (session: string, args: string) =>
    titleCommand.run({
      args,
      door: { session: () => session, say: (text: string) => said.push(text) },
      services: { sessions },
    } as unknown as SlashCall)
  await title('ses_a', 'My plan')
  await title('ses_b', 'My \u200b plan')
  await title('ses_b', 'Other')
  expect(said).toEqual([
    'This session is called "My plan".',
    'That title is taken; this session is called "My plan #2".',
    'This session is called "Other".',
  ])
})
