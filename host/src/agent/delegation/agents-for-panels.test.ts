import { expect, test } from 'vitest'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { noUsage } from '../turn/ask-model.ts'
import { agentsForPanels } from './agents-for-panels.ts'
import type { RunningChild } from './children.ts'

test('a page sees child agents that work and those that ended, and stops the first only', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions } = await temporary.open()
  const made = { source: 'subagent', provider: 'p', model: 'm', system: '', tools: '[]' }
  const store = (id: string, parent: string | null, at: number, source = 'subagent') =>
    sessions.commit({
      session: { id, create: { ...made, source, parent, title: source === 'cli' ? 'The talk' : null } },
      ...{ messages: [{ role: 'user', parts: [{ type: 'text', text: `task ${id}` }] }], calls: 1, at },
      usage: { ...noUsage, input: 3, output: 4 },
    })
  await store('talk', null, 1, 'cli')
  await store('one', 'talk', 2)
  await sessions.end('one', 'completed')
  await store('two', 'talk', 3)
  const stopped: string[] = []
  const running = { session: 'two', parent: 'talk', goal: 'count', startedAt: 9, model: 'm', doing: 'terminal ls', calls: 2 }
  const child = { ...running, stop: () => stopped.push('two') } as unknown as RunningChild
  const agents = agentsForPanels({ childAgents: { all: () => [child] }, sessions })
  const common = { parent: 'talk', title: 'The talk', model: 'm', tokens: 7 }
  expect(await agents.list()).toEqual([
    { ...common, session: 'two', task: 'count', startedAt: 9, state: 'works', doing: 'terminal ls', calls: 2 },
    { ...common, session: 'one', task: 'task one', startedAt: expect.any(Number), state: 'completed', doing: '', calls: 0 },
  ])
  await agents.stop('two')
  await expect(agents.stop('one')).rejects.toMatchObject({ code: 'DELEGATION_ENDED' })
  expect(stopped).toEqual(['two'])
})
