// @module-tag process
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManifestInput, PlatformManifest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { LinkStatus } from '../../host/src/gateway/links/link-status.ts'
import { proves } from '../spec/proves.ts'
import { type AgentProcess, gatewayRuns, type RunOptions, runAgent, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const bounded = { timeout: 20_000, interval: 50 }

/** Puts a platform into the home whose `connect` has this body. */
function addPlatform(home: TestHome, id: string, connect: string, more: Partial<PlatformManifest> = {}): void {
  const folder = join(home.home, 'plugins', 'local', `platform-${id}`)
  const env = (more.env ?? []).map((name) => ({ name, secret: true, required: true, prompt: name }))
  const platform = { id, entry: 'dist/platform.js', label: id, door: 'messaging', reach: 'owner', capabilities: {}, limits: {} } as const
  const manifest: ManifestInput = {
    ...{ manifestVersion: 1, id: `platform-${id}`, name: id, description: 'made up', version: '1.0.0', license: 'MIT' },
    api: { platform: 1 },
    contributes: { platforms: [{ ...platform, onByDefault: true, ...more }] },
    env,
  }
  mkdirSync(join(folder, 'dist'), { recursive: true })
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const code = `import { connect as dial } from 'node:net'\nexport default { async connect(context) { ${connect} } }\n`
  writeFileSync(join(folder, 'dist', 'platform.js'), code)
}

const connection = (close = 'async () => undefined'): string =>
  `return { send: async () => ({ status: 'sent', platformId: '1' }), lastHeard: async () => context.clock.now(), close: ${close} }`

function enable(home: TestHome, ...ids: readonly string[]): void {
  const entries = Object.fromEntries(ids.map((id) => [`platform-${id}`, { enabled: true }]))
  home.write('config.yaml', JSON.stringify({ plugins: { entries } }))
}

async function start(home: TestHome, options: RunOptions = {}, words: readonly string[] = []): Promise<AgentProcess> {
  const gateway = startAgent(home, ['gateway', 'run', ...words], { timeoutMs: 60_000, ...options })
  await gateway.heard(gatewayRuns)
  return gateway
}

async function stop(gateway: AgentProcess): Promise<number | null> {
  gateway.child.kill('SIGTERM')
  return (await gateway.ended).code
}

async function statusOf(home: TestHome, platform: string): Promise<LinkStatus | undefined> {
  const { out } = await runHere(home, ['gateway', 'status', '--json'])
  return (JSON.parse(out).platforms as LinkStatus[]).find((status) => status.platform === platform)
}

/** The same as the gateway writes it down: a program that shows it would be started at each look. */
function attemptsOf(home: TestHome, platform: string): number | undefined {
  const { platforms } = JSON.parse(home.read('gateway_state.json')) as { readonly platforms: readonly LinkStatus[] }
  return platforms.find((status) => status.platform === platform)?.attempts
}

// These wait most of their time, each with separate homes. A test that goes on while another ends has to ask by the expect that it is given.
test.concurrent('errors in the timers, promises and sockets of a platform, and one that never closes, reach neither the gateway nor its neighbour', async ({
  expect,
}) => {
  using home = openTestHome()
  addPlatform(home, 'steady', connection())
  const fuses = [
    `setTimeout(() => { throw new Error('from a timer') }, 20)`,
    `setTimeout(async () => { throw new Error('from a promise') }, 20)`,
    `dial(1, '127.0.0.1')`,
  ]
  for (const [index, fuse] of fuses.entries()) addPlatform(home, `bomb-${index}`, `${fuse}; ${connection()}`)
  addPlatform(home, 'stuck', connection('() => new Promise(() => undefined)'))
  enable(home, 'steady', 'bomb-0', 'bomb-1', 'bomb-2', 'stuck')
  const gateway = await start(home)
  for (const bomb of ['bomb-0', 'bomb-1']) {
    await expect.poll(() => attemptsOf(home, bomb), bounded).toBeGreaterThan(1)
    const { attempts, silences } = (await statusOf(home, bomb)) ?? {}
    expect(attempts).toBeGreaterThan(1)
    expect(silences).toBe(0)
  }
  // A sandbox refuses before there is a connection.
  await expect.poll(() => home.read('logs/gateway.log'), bounded).toMatch(/ECONNREFUSED|EACCES/)
  expect(await statusOf(home, 'steady')).toMatchObject({ state: 'connected', attempts: 1, needsAttention: false })
  expect(gateway.child.exitCode).toBe(null)
  const { code, out } = await runHere(home, ['gateway', 'status'])
  expect(code).toBe(0)
  expect(out).toMatch(/^ {2}steady: connected for \d+ \w+/m)
  // It is connected for a blink each time.
  await expect.poll(async () => (await runHere(home, ['gateway', 'status'])).out, bounded).toMatch(/^ {2}bomb-0: .*attempt \d+/m)
  expect(await stop(gateway)).toBe(0)
  const { gateway_state, pid, platforms } = JSON.parse(home.read('gateway_state.json'))
  expect([gateway_state, pid, platforms]).toEqual(['running', null, []])
  expect((await runHere(home, ['gateway', 'status'])).code).toBe(1)
}, 60_000)

test.concurrent('two homes on one machine do not use the same credential; another one they may', async ({ expect }) => {
  using first = openTestHome()
  using second = openTestHome()
  const options = { environment: { TWIN_TOKEN: 'token-of-both', HOME: first.folder } }
  for (const home of [first, second]) {
    addPlatform(home, 'twin', connection(), { env: ['TWIN_TOKEN'], singletonLock: 'TWIN_TOKEN' })
    enable(home, 'twin')
  }
  const holder = await start(first, options)
  const other = await start(second, options)
  expect(await statusOf(first, 'twin')).toMatchObject({ state: 'connected' })
  expect(await statusOf(second, 'twin')).toMatchObject({ state: 'fatal', error: { code: 'CREDENTIAL_IN_USE' } })
  expect((await runHere(second, ['gateway', 'status'])).out).toContain(`(pid ${holder.child.pid}, ${first.home})`)
  await stop(other)
  holder.child.kill('SIGKILL')
  await holder.ended
  // A lock of a process that is gone is no lock.
  const heir = await start(second, options)
  expect(await statusOf(second, 'twin')).toMatchObject({ state: 'connected' })
  const apart = await start(first, { environment: { ...options.environment, TWIN_TOKEN: 'own-token' } })
  expect(await statusOf(first, 'twin')).toMatchObject({ state: 'connected' })
  await stop(apart)
  await stop(heir)
}, 60_000)

test.concurrent('a gateway without an HTTP door and with a platform that hangs starts in the background too', async ({ expect }) => {
  using home = openTestHome()
  addPlatform(home, 'hanging', 'await new Promise(() => undefined)')
  enable(home, 'hanging')
  const { code, out } = await runAgent(home, ['gateway', 'start'], { environment: { API_SERVER_ENABLED: 'false' } })
  expect([code, out]).toEqual([0, expect.stringMatching(/^The gateway runs \(pid \d+, no HTTP door is open\)\.\n$/)])
  expect(await statusOf(home, 'hanging')).toMatchObject({ state: 'starting' })
  expect((await runAgent(home, ['gateway', 'stop'])).code).toBe(0)
})

const seeded = { environment: { AGENT_GATEWAY_BOOTSTRAP_STATE: 'running' } }
const boot = ['gateway', 'run', '--boot']
const notWanted = expect.stringMatching(/^The gateway of \S+ is not to run at boot\. Start it with agent gateway start\.\n$/)

proves(['state.gateway.bootstrap.seeded', 'env.gateway-bootstrap'], 'the first boot of a container starts the gateway', async () => {
  using home = openTestHome()
  const gateway = await start(home, seeded, ['--boot'])
  await expect
    .poll(() => JSON.parse(home.read('gateway_state.json')), bounded)
    .toMatchObject({ gateway_state: 'running', pid: gateway.child.pid })
  expect(await stop(gateway)).toBe(0)
})

proves('state.gateway.bootstrap.literal', 'no other word starts it, and nothing is written', async () => {
  using home = openTestHome()
  for (const word of ['', 'Running', 'true', 'stopped']) {
    const ran = await runAgent(home, boot, { environment: { AGENT_GATEWAY_BOOTSTRAP_STATE: word } })
    expect(ran).toMatchObject({ code: 0, out: notWanted })
  }
  expect(() => home.read('gateway_state.json')).toThrow('ENOENT')
})

proves('state.gateway.bootstrap.kept', 'a gateway that was stopped stays stopped over boots, until somebody starts it', async () => {
  using home = openTestHome()
  await start(home, seeded, ['--boot'])
  expect(await runAgent(home, ['gateway', 'stop'])).toMatchObject({ code: 0, out: 'The gateway stopped.\n' })
  expect(await runAgent(home, boot, seeded)).toMatchObject({ code: 0, out: notWanted })
  const started = await start(home)
  // The machine goes down and comes back, without the seed this time.
  await stop(started)
  const again = await start(home, {}, ['--boot'])
  expect(await stop(again)).toBe(0)
})
