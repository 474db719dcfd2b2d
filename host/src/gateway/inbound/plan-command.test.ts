// @module-tag server
import { expect } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { addPlatform, openReloadGateway, writeSwitches } from '../../../../test/support/gateways/reload-gateway.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

proves('slash.plan', '/plan is a turn of the agent, which hears where the plan goes and that it changes nothing else', async () => {
  using home = openTestHome()
  addPlatform(home, 'calm')
  writeSwitches(home, ['platform-calm'])
  await using opened = await openReloadGateway(home)
  const heard: string[] = []
  opened.agent.hooks.tap('turn.before', { owner: 'ear' }, async ({ instructions }) => {
    heard.push(instructions ?? '')
    return undefined
  })
  await opened.service('calm').talk('/plan Water the roses')
  await opened.service('calm').talk('/plan')
  const [session] = await opened.agent.store.sessions.list({ limit: 1 })
  const said = JSON.stringify(await opened.agent.store.sessions.history(session?.id ?? ''))
  expect(said).toContain('Write a plan: Water the roses')
  expect(said).toContain('Write a plan for what we talk about.')
  expect(heard[0]).toMatch(/you plan and do nothing else[\s\S]*\.agent\/plans\/\d{4}-\d\d-\d\d-water-the-roses\.md/)
  // They are for this turn: the next one would plan too.
  expect(said).not.toContain('do nothing else')
})
