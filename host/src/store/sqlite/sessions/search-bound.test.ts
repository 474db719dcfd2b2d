import { expect, test } from 'vitest'
import type { Sessions } from '../../sessions.ts'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

async function say(sessions: Sessions, id: string, source: string, texts: readonly string[]): Promise<void> {
  const create = { source, provider: 'p', model: 'm', system: '', tools: '[]' }
  const messages = texts.map((text) => ({ role: 'user', parts: [{ type: 'text', text }] }) as const)
  await sessions.commit({ session: { id, create }, messages, usage, calls: 0, at: 1 })
}

test('of words that stand in very many messages the newest are ranked, and what only one door has is found behind them', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  await say(sessions, 'ses_old', 'irc', ['river river river'])
  const many = Array.from({ length: 500 }, () => 'a river in a long sentence with other words')
  for (let part = 0; part < 20; part++) await say(sessions, `ses_${part}`, 'cli', part < 19 ? many : many.slice(1))
  const best = async (source?: string): Promise<string | undefined> => (await sessions.search('river', { limit: 1, source }))[0]?.session
  expect(await best()).toBe('ses_old')
  await say(sessions, 'ses_more', 'cli', ['one more river in a long sentence with other words'])
  expect(await best()).not.toBe('ses_old')
  expect(await best('irc')).toBe('ses_old')
})
