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

proves('job.fields', 'a job holds schedule, place of delivery, origin, prompt and skills, and several skills can be edited', async () => {
  using home = openTestHome()
  for (const skill of ['kitchen', 'garden'])
    home.write(`skills/${skill}/SKILL.md`, `---\nname: ${skill}\ndescription: About the ${skill}.\n---\nLook around.\n`)
  const wish = { name: 'tea', prompt: 'Make tea.', schedule: 'daily at 9:00', deliver: 'origin', skills: ['kitchen'] }
  const change = (skills: readonly string[]) => call('tool_call', { name: 'cronjob', arguments: { action: 'update', job: 'tea', skills } })
  await using agents = await openScripted(home, {
    'remind me of tea': [call('tool_call', { name: 'cronjob', arguments: { action: 'create', ...wish } }), { text: 'I will.' }],
    'in the garden too': [change(['kitchen', 'garden']), { text: 'There too.' }],
    'on the moon': [change(['moon']), { text: 'Not there.' }],
  })
  const { jobs } = agents.agent.store
  const session = { key: 'agent:main:test:dm:bot:ann' }
  await agents.say('remind me of tea', { session })
  expect(await jobs.list()).toMatchObject([{ ...wish, schedule: '0 9 * * *', origin: session.key }])
  for (const text of ['in the garden too', 'on the moon']) await agents.say(text, { session })
  expect(await jobs.list()).toMatchObject([{ ...wish, schedule: '0 9 * * *', origin: session.key, skills: ['kitchen', 'garden'] }])
})
