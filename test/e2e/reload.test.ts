import { expect, test } from 'vitest'
import { addPlatform, addToolset, openReloadGateway, writeSwitches } from '../support/reload-gateway.ts'
import { type AgentRun, runAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const run = (home: TestHome, ...words: string[]): Promise<AgentRun> => runAgent(home, words)

test('commands that change plugins and platforms tell the running gateway, and say what became of it', async () => {
  using home = openTestHome()
  addPlatform(home, 'calm')
  addPlatform(home, 'other')
  addToolset(home, 'dice', 'roll_dice')
  writeSwitches(home, ['platform-calm'])
  await using opened = await openReloadGateway(home)
  const { service } = opened
  const talking = service('calm').talk('stream 200 tokens')

  const enabled = await run(home, 'plugins', 'enable', 'platform-other')
  expect(enabled).toMatchObject({ code: 0, out: expect.stringContaining('The running gateway has connected other.\n') })
  expect(service('other').open).toBe(1)
  expect((await run(home, 'plugins', 'enable', 'toolset-dice')).out).toContain(
    'The running gateway uses the toolset dice from the next turn on.\n',
  )

  const changed = await run(home, 'config', 'set', 'platforms.other.extra.word', 'new')
  expect(changed.out).toContain('The running gateway has connected other anew.\n')
  expect([service('other').open, service('other').config]).toEqual([1, { word: 'new' }])

  const failing = await run(home, 'config', 'set', 'platforms.other.extra.broken', 'true')
  expect(failing).toMatchObject({
    code: 0,
    out: expect.stringContaining('The running gateway goes on with other as it was. other refused the credentials: the settings say so.\n'),
  })
  expect(service('other').open).toBe(1)

  expect((await run(home, 'plugins', 'disable', 'platform-other')).out).toContain('The running gateway has ended other.\n')
  expect((await run(home, 'config', 'set', 'plugins.entries.platform-calm.enabled', 'true')).out).toContain(
    'The running gateway goes on as it is: nothing of what runs in it has changed.\n',
  )
  expect(await talking).toContain('offline-1')
  expect([service('calm').connects, service('other').open]).toEqual([1, 0])
})

test('settings that cannot be read are told, and the gateway goes on', async () => {
  using home = openTestHome()
  addPlatform(home, 'calm')
  writeSwitches(home, ['platform-calm'])
  await using opened = await openReloadGateway(home)
  home.write('.env', 'AGENT_MAX_ITERATIONS=many\n')
  const { code, out } = await run(home, 'plugins', 'disable', 'platform-calm')
  expect(code).toBe(0)
  expect(out).toMatch(/The running gateway did not take it over, and goes on as it was: .*AGENT_MAX_ITERATIONS/)
  expect(opened.service('calm').open).toBe(1)
})

test('without a gateway nothing is said about one', async () => {
  using home = openTestHome()
  addPlatform(home, 'calm')
  expect((await run(home, 'plugins', 'enable', 'platform-calm')).out).not.toContain('gateway')
})
