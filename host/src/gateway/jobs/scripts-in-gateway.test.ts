// @module-tag process
import { expect, test } from 'vitest'
import { addPlatform, openReloadGateway, writeSwitches } from '../../../../test/support/gateways/reload-gateway.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

const soon = { timeout: 20_000 }

test('a script that the owner gave is run without the agent and without secrets, and what it prints goes to the platform', async () => {
  using home = openTestHome()
  addPlatform(home, 'calm')
  writeSwitches(home, ['platform-calm'])
  await using opened = await openReloadGateway(home, { environment: { OPENROUTER_API_KEY: 'sk-secret' } })
  const { agent, service } = opened
  const desk = await agent.jobs.desk()
  const script = { name: 'check.sh', text: 'echo "key: <$OPENROUTER_API_KEY>"' }
  const wish = { schedule: 'every 1h', deliver: 'calm:ann' }
  const { job } = await desk.create(wish, { owner: 'owner', terminal: { script } })
  await desk.run(job.id, {})
  await expect.poll(() => service('calm').said, soon).toEqual(['check.sh\n\nkey: <>'])
  expect(await agent.store.jobs.history(1)).toMatchObject([{ state: 'ok', session: null }])
  expect(await agent.store.sessions.list({ limit: 9 })).toEqual([])
})
