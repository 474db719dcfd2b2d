// @module-tag process
import { expect, test } from 'vitest'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import type { FakeAnswer } from '../support/fakes/fake-vendor.ts'
import { addPostOffice } from '../support/gateways/post-office.ts'
import { addProfile } from '../support/gateways/profile-home.ts'
import { type AgentProcess, gatewayRuns, runAgent, startAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const bounded = { timeout: 25_000, interval: 50 }
const serving = 'gateway: { multiplex_profiles: true, http: { port: 0 } }\n'
const posting = 'plugins: { entries: { platform-post: { enabled: true } } }\n'
const variables = 'POST_TOKEN=right\nPOST_ALLOWED_USERS=ann\nAGENT_INFERENCE_PROVIDER=offline\nAGENT_OFFLINE_OPEN=true\n'

async function runServing(home: TestHome, ...profiles: readonly string[]): Promise<AgentProcess> {
  const gateway = startAgent(home, ['gateway', 'run'], { timeoutMs: 90_000 })
  await gateway.heard(gatewayRuns)
  for (const profile of profiles) await gateway.heard(new RegExp(`Profile ${profile} is .*\\n`))
  return gateway
}

async function end({ child, ended }: AgentProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal)
  await ended
}

function addWork(home: TestHome) {
  const work = addProfile(home, 'work')
  home.write('config.yaml', serving)
  work.write('config.yaml', posting)
  work.write('.env', variables)
  return { work, office: addPostOffice(work) }
}

test('a profile whose gateway is killed in the middle of a turn answers after the next start, once', async () => {
  using home = openTestHome()
  const { office, work } = addWork(home)
  let asked = 0
  const answers = (): FakeAnswer => (asked++ === 0 ? { hang: 'headers' } : { text: 'Here I am again.' })
  await using model = await startFakeOpenai({ models: ['m'], answers })
  const chosen = { model: { provider: 'custom', default: 'm', base_url: model.url }, sessions: { auto_title: false } }
  work.write('config.yaml', JSON.stringify({ ...chosen, plugins: { entries: { 'platform-post': { enabled: true } } } }))
  work.write('.env', 'POST_TOKEN=right\nPOST_ALLOWED_USERS=ann\n')
  for (const file of ['SOUL.md', 'memories/MEMORY.md', 'memories/USER.md', 'workspace/AGENTS.md'])
    home.write(file, 'Known to the default profile.\n')
  work.write('SOUL.md', 'Known to work.\n')
  office.know([{ id: 'c1', kind: 'dm', text: 'Are you there?' }])
  const first = await runServing(home, 'work')
  await expect.poll(() => asked, bounded).toBe(1)
  await end(first, 'SIGKILL')
  expect(office.posted()).toEqual([])
  office.know([])
  const second = await runServing(home, 'work')
  await expect.poll(() => office.posted().map(({ text }) => text), bounded).toEqual(['Here I am again.'])
  await end(second, 'SIGTERM')
  expect(asked).toBe(2)
  for (const { raw } of model.requests) {
    expect(raw).toContain('Known to work.')
    expect(raw).not.toContain('Known to the default profile.')
  }
  expect(JSON.parse(work.read('gateway_state.json'))).toMatchObject({ gateway_state: 'running', pid: null })
}, 120_000)

test('commands on a served profile mean that profile, and say by whom it is served', async () => {
  using home = openTestHome()
  const { office } = addWork(home)
  addProfile(home, 'spare')
  const gateway = await runServing(home, 'work', 'spare')
  try {
    const pid = gateway.child.pid
    expect(await runAgent(home, ['-p', 'work', 'gateway', 'run'])).toMatchObject({
      code: 1,
      note: expect.stringMatching(/already runs .*serves work too: agent -p work gateway stop takes it out/),
    })
    const status = await runAgent(home, ['-p', 'work', 'gateway', 'status'])
    expect(status).toMatchObject({ code: 0, out: expect.stringContaining(`(pid ${pid}, `) })
    expect(status.out).toContain('It is that of the profile default, which serves this one too.')
    expect(status.out).toMatch(/post: connected/)
    expect((await runAgent(home, ['gateway', 'status'])).out).toMatch(/Profile work is served( at \S+)?\.\n/)
    expect((await runAgent(home, ['-p', 'work', 'gateway', 'reload'])).out).toContain('nothing of what runs in it had to change')
    expect(await runAgent(home, ['-p', 'work', 'send', 'post:ann', 'All is well.'])).toMatchObject({ code: 0 })
    expect(office.posted()).toMatchObject([{ conversation: 'ann', text: 'All is well.' }])
    expect((await runAgent(home, ['profile', 'delete', 'work', '--yes'])).note).toContain('serves profile "work"')

    expect(await runAgent(home, ['-p', 'work', 'gateway', 'stop'])).toMatchObject({ code: 0, out: 'The gateway stopped.\n' })
    expect(gateway.child.exitCode).toBeNull()
    expect(await runAgent(home, ['-p', 'spare', 'gateway', 'status'])).toMatchObject({ code: 0 })
    expect((await runAgent(home, ['gateway', 'status'])).out).toMatch(/Profile work was stopped on purpose\./)
    expect((await runAgent(home, ['-p', 'work', 'gateway', 'start'])).out).toContain(`The gateway runs (pid ${pid}, `)
    expect((await runAgent(home, ['-p', 'work', 'gateway', 'restart'])).out).toContain(`The gateway runs (pid ${pid}, `)
    expect((await runAgent(home, ['profile', 'delete', 'spare', '--yes'])).note).toContain('agent -p spare gateway stop')
    expect(await runAgent(home, ['profile', 'create', 'late'])).toMatchObject({ code: 0 })
    expect((await runAgent(home, ['gateway', 'reload'])).out).toMatch(/^Profile late is served( at \S+)?\.$/m)
    const { profiles } = JSON.parse((await runAgent(home, ['gateway', 'status', '--json'])).out)
    expect(profiles).toMatchObject(['late', 'spare', 'work'].map((profile) => ({ profile, state: 'served' })))
  } finally {
    await end(gateway, 'SIGTERM')
  }
  expect(await runAgent(home, ['-p', 'work', 'gateway', 'status'])).toMatchObject({ code: 1 })
}, 120_000)

test('switched off, nobody looks at profiles, and in another profile the setting is told to have no effect', async () => {
  using home = openTestHome()
  const { work } = addWork(home)
  home.write('config.yaml', '')
  const alone = await runServing(home)
  expect(await runAgent(home, ['-p', 'work', 'gateway', 'status'])).toMatchObject({ code: 1 })
  await end(alone, 'SIGTERM')
  work.write('config.yaml', serving)
  const own = startAgent(home, ['-p', 'work', 'gateway', 'run'], { timeoutMs: 60_000 })
  expect(await own.heard(gatewayRuns)).toContain('gateway.multiplex_profiles holds in the default profile only')
  await end(own, 'SIGTERM')
}, 60_000)
