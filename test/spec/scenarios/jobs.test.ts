import { expect } from 'vitest'
import { call, openScripted } from '../../support/agents/scripted-agents.ts'
import { openTestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

proves('purpose.cron', 'the agent makes a job by its tool, which the store then has', async () => {
  using home = openTestHome()
  const wish = { action: 'create', name: 'tea', prompt: 'Make tea.', schedule: 'daily at 9:00', zone: 'Europe/Berlin' }
  await using agents = await openScripted(home, {
    'remind me of tea': [call('tool_call', { name: 'cronjob', arguments: wish }), { text: 'I will.' }],
  })
  await agents.say('remind me of tea')
  expect(await agents.agent.store.jobs.list()).toMatchObject([
    { name: 'tea', prompt: 'Make tea.', schedule: '0 9 * * *', zone: 'Europe/Berlin', owner: 'owner', door: 'test', state: 'scheduled' },
  ])
})
