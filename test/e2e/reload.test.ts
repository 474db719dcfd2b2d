// @module-tag process
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildChildProgram } from '../support/child-program.ts'
import { addPlatform, addToolset, openReloadGateway, writeSwitches } from '../support/gateways/reload-gateway.ts'
import { type AgentRun, gatewayRuns, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const run = (home: TestHome, ...words: string[]): Promise<AgentRun> => runHere(home, words)

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
  expect(changed.out).toContain('The running gateway has connected other again.\n')
  expect([service('other').open, service('other').config]).toEqual([1, { word: 'new' }])

  const failing = await run(home, 'config', 'set', 'platforms.other.extra.broken', 'true')
  expect(failing).toMatchObject({
    code: 0,
    out: expect.stringContaining('The running gateway goes on with other as it was. other refused the credentials: the settings say so.\n'),
  })
  expect(service('other').open).toBe(1)

  expect((await run(home, 'plugins', 'disable', 'platform-other')).out).toContain('The running gateway has ended other.\n')
  expect((await run(home, 'config', 'set', 'plugins.entries.platform-calm.enabled', 'true')).out).toContain(
    'The running gateway has taken it over; nothing of what runs in it had to change.\n',
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

test('a plugin in a child is replaced by a new child, and keeps the old one when its new settings or its new code fail', async () => {
  using home = openTestHome()
  addPlatform(home, 'far', { code: farPlatform('1') })
  const write = (extra: object): void => writeSwitches(home, ['platform-far'], { far: extra })
  write({})
  await using program = await buildChildProgram()
  await using opened = await openReloadGateway(home, { childProgram: program.file })
  const { agent, gateway } = opened
  const pids = () => agent.hosts?.children().flatMap(({ pid, plugins }) => (plugins.includes('platform-far') ? [pid] : []))
  const [first] = pids() ?? []
  expect(first).toBeTypeOf('number')

  write({ broken: true })
  expect((await gateway.reload()).parts).toMatchObject([{ id: 'far', did: 'kept', state: 'connected', error: { code: 'PLUGIN_FAILED' } }])
  expect(pids()).toEqual([first])

  write({ word: 'new' })
  expect((await gateway.reload()).parts).toMatchObject([{ id: 'far', did: 'replaced', state: 'connected' }])
  const [second, ...more] = pids() ?? []
  expect([more, second === first]).toEqual([[], false])

  addPlatform(home, 'far', { version: '2.0.0', code: 'this is no code' })
  expect((await gateway.reload()).parts).toMatchObject([{ id: 'far', did: 'kept', state: 'connected', error: { code: 'PLUGIN_FAILED' } }])
  expect(pids()).toEqual([second])
  addPlatform(home, 'far', { version: '2.0.1', code: farPlatform('2') })
  expect((await gateway.reload()).parts).toMatchObject([{ id: 'far', did: 'replaced', state: 'connected' }])
  expect([pids()?.length, pids()?.includes(second)]).toEqual([1, false])
})

test('the built gateway opens and closes a plugin of somebody else at run time, and leaves no socket behind', async () => {
  using home = openTestHome()
  addPlatform(home, 'far', { code: farPlatform('1') })
  const gateway = startAgent(home, ['gateway', 'run'], { environment: { AGENT_INFERENCE_PROVIDER: 'offline' } })
  await gateway.heard(gatewayRuns)
  await expect.poll(() => existsSync(join(home.home, 'gateway.sock'))).toBe(true)
  expect((await run(home, 'plugins', 'enable', 'platform-far')).out).toContain('The running gateway has connected far.\n')
  expect((await run(home, 'gateway', 'status')).out).toMatch(/^ {2}far: connected /m)
  expect((await run(home, 'plugins', 'disable', 'platform-far')).out).toContain('The running gateway has ended far.\n')
  expect((await run(home, 'gateway', 'status')).out).not.toContain('far:')
  gateway.child.kill('SIGTERM')
  await gateway.ended
  expect(existsSync(join(home.home, 'gateway.sock'))).toBe(false)
})

/** A platform that nobody writes to, as code. */
function farPlatform(version: string): string {
  return `
export default {
  async connect(context) {
    if (context.config.broken) throw new Error('the settings say so')
    return { send: async () => ({ status: 'sent', platformId: '${version}' }), lastHeard: async () => Date.now(), close: async () => undefined }
  },
}`
}

test('a variable of .env that changed is named by status and doctor until the gateway has read it', async () => {
  using home = openTestHome()
  addPlatform(home, 'calm')
  writeSwitches(home, ['platform-calm'])
  home.write('.env', 'OPENAI_API_KEY=sk-old-secret\nAGENT_EPHEMERAL_SYSTEM_PROMPT=old\n')
  await using _opened = await openReloadGateway(home)
  const stale = async (): Promise<unknown> => JSON.parse((await run(home, 'gateway', 'status', '--json')).out).stale
  expect(await stale()).toEqual([])
  home.write('.env', 'OPENAI_API_KEY=sk-new-secret\nAGENT_EPHEMERAL_SYSTEM_PROMPT=old\n')
  const [status, doctor] = [await run(home, 'gateway', 'status'), await run(home, 'doctor')]
  expect(status.out).toContain(`It goes on with the old OPENAI_API_KEY of ${home.home}/.env: agent gateway reload takes over`)
  expect(doctor.out).toMatch(/goes on with the old OPENAI_API_KEY\n.*agent gateway reload/)
  expect(status.out + doctor.out).not.toContain('secret')
  expect(await run(home, 'gateway', 'reload')).toMatchObject({ code: 0, out: expect.not.stringContaining('restart') })
  expect(await stale()).toEqual([])
  home.write('.env', 'OPENAI_API_KEY=sk-new-secret\nAGENT_EPHEMERAL_SYSTEM_PROMPT=new\n')
  expect((await run(home, 'gateway', 'reload')).out).toContain('Only agent gateway restart takes over AGENT_EPHEMERAL_SYSTEM_PROMPT.')
})

test('config set says of each setting whether the running gateway goes by it', async () => {
  using home = openTestHome()
  addPlatform(home, 'calm')
  writeSwitches(home, ['platform-calm'])
  await using opened = await openReloadGateway(home)
  const set = async (key: string, value: string): Promise<string> => (await run(home, 'config', 'set', key, value)).out
  expect(await set('session_reset.mode', 'none')).toContain('The running gateway uses it from the next turn on.')
  expect(opened.agent.loaded.config.session_reset.mode).toBe('none')
  expect(await set('agent.max_turns', '7')).toContain('The running gateway goes by the old value until agent gateway restart.')
  expect(await set('display.theme_mode', 'dark')).not.toContain('gateway')
})
