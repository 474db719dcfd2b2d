// @module-tag process
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { addPostOffice, postOfficeOn } from '../support/gateways/post-office.ts'
import { type AgentProcess, besideProgress, gatewayRuns, runAgent, startAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

interface Running extends AsyncDisposable {
  readonly agent: AgentProcess
  /** Where it listens, or that it does not. */
  readonly door: string
}

/** `agent gateway run` in the foreground; told to stop at the end. */
async function runGateway(home: TestHome): Promise<Running> {
  const agent = startAgent(home, ['gateway', 'run'], { timeoutMs: 60_000 })
  const [, url, none = ''] = /^agent (?:listens at (\S+)|runs; (.+)\.)\n/.exec(await agent.heard(gatewayRuns)) ?? []
  return {
    agent,
    door: url ?? none,
    async [Symbol.asyncDispose]() {
      agent.child.kill('SIGTERM')
      await agent.ended
    },
  }
}

proves('cli.gateway.lifecycle', 'start, status, restart and stop of a gateway in the background', async () => {
  using home = openTestHome()
  const started = await runAgent(home, ['gateway', 'start'])
  try {
    expect([started.code, besideProgress(started.note)]).toEqual([0, ''])
    const [, pid = '', door = ''] = /^The gateway runs \(pid (\d+), (.+)\)\.\n$/.exec(started.out) ?? []
    const { code, out } = await runAgent(home, ['gateway', 'status', '--json'])
    expect([code, JSON.parse(out)]).toMatchObject([0, { state: 'running', pid: Number(pid) }])
    expect(JSON.parse(home.read('gateway_state.json'))).toMatchObject({ gateway_state: 'running', pid: Number(pid) })
    if (process.platform === 'linux') expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain('MALLOC_MMAP_THRESHOLD_=131072')
    expect(await runAgent(home, ['gateway', 'start'])).toMatchObject({
      code: 1,
      out: '',
      note: `agent: A gateway already runs for ${home.home} (pid ${pid}, ${door}).\n`,
    })

    const again = await runAgent(home, ['gateway', 'restart'])
    expect(again.out).toMatch(/^The gateway stopped\.\nThe gateway runs \(pid \d+, .+\)\.\n$/)
    expect(again.out).not.toContain(`pid ${pid},`)
  } finally {
    expect(await runAgent(home, ['gateway', 'stop'])).toMatchObject({ code: 0, out: 'The gateway stopped.\n' })
  }
  expect(await runAgent(home, ['gateway', 'status'])).toMatchObject({ code: 1, out: expect.stringMatching(/^No gateway runs for /) })
  expect(JSON.parse(home.read('gateway_state.json'))).toMatchObject({ gateway_state: 'stopped', pid: null })
  expect(existsSync(join(home.home, 'gateway.pid'))).toBe(false)
  // The next start reads one file in place of each manifest.
  expect(home.read('cache/manifests.json')).toContain('/agent.plugin.json')
})

test('a gateway that cannot keep what manifests say runs all the same', async () => {
  using home = openTestHome()
  mkdirSync(join(home.home, 'cache', 'manifests.json'), { recursive: true })
  {
    await using running = await runGateway(home)
    expect(await runAgent(home, ['gateway', 'status', '--json'])).toMatchObject({ code: 0 })
    running.agent.child.kill('SIGTERM')
    expect((await running.agent.ended).code).toBe(0)
  }
  expect(home.read('logs/gateway.log')).toContain('what the manifests of plugins said could not be kept')
})

function makeEnvFolder(home: TestHome): void {
  home.write('config.yaml', '')
  mkdirSync(join(home.home, '.env'))
}

test('a restart with settings that no gateway starts with names the fault, and the gateway that runs goes on', async () => {
  using home = openTestHome()
  await using running = await runGateway(home)
  const pid = running.agent.child.pid
  const breaks: readonly (readonly [() => void, RegExp])[] = [
    [() => home.write('config.yaml', 'model: [\n'), /^agent: .*config\.yaml/],
    [() => home.write('config.yaml', 'logging:\n  max_size_mb: many\n'), /^agent: .*config\.yaml.*logging\.max_size_mb/],
    [() => home.write('config.yaml', 'model: { provider: '), /^agent: .*config\.yaml/],
    [() => makeEnvFolder(home), /^agent: .*\.env/],
  ]
  for (const [spoil, sentence] of breaks) {
    spoil()
    expect(await runAgent(home, ['gateway', 'restart'])).toMatchObject({ code: 1, out: '', note: expect.stringMatching(sentence) })
    expect(running.agent.child.exitCode).toBeNull()
  }
  rmSync(join(home.home, '.env'), { recursive: true })
  expect(JSON.parse((await runAgent(home, ['gateway', 'status', '--json'])).out)).toMatchObject({ state: 'running', pid })
})

proves(
  'env.agent-home.scope',
  'a second gateway of one home is refused, in the way of npm start it points at the first; another home has its own',
  async () => {
    using home = openTestHome()
    using other = openTestHome()
    await using first = await runGateway(home)
    const sentence = `A gateway already runs for ${home.home} (pid ${first.agent.child.pid}, ${first.door}).\n`
    expect(await runAgent(home, ['gateway', 'run'])).toEqual({ code: 1, signal: null, out: '', note: `agent: ${sentence}` })
    expect(await runAgent(home, ['gateway', 'run', '--from-start'])).toEqual({ code: 0, signal: null, out: sentence, note: '' })
    await using second = await runGateway(other)
    expect(second.agent.child.exitCode).toBeNull()
  },
)

test('a gateway that was killed leaves nothing in the way of the next one', async () => {
  using home = openTestHome()
  const first = await runGateway(home)
  first.agent.child.kill('SIGKILL')
  await first.agent.ended
  expect(await runAgent(home, ['gateway', 'status'])).toMatchObject({ code: 1 })
  await using second = await runGateway(home)
  expect(await runAgent(home, ['gateway', 'status'])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`(pid ${second.agent.child.pid}, ${second.door})`),
  })
})

test('a platform that reaches people does not start on the offline model that nobody chose', async () => {
  using home = openTestHome()
  addPostOffice(home)
  home.write('config.yaml', postOfficeOn)
  const agent = startAgent(home, ['gateway', 'run'], { environment: { POST_TOKEN: 'right' } })
  expect(await agent.heard(/ post: .*\n.*\n/)).toContain(
    'post: fatal (OFFLINE_MODEL)\n    Post reaches other people and does not start on the offline model.',
  )
  agent.child.kill('SIGTERM')
  expect(await agent.ended).toMatchObject({ code: 0 })
})

proves(['platform-entry.disabled-wins', 'config.platforms.enabled'], 'a platform that config.yaml switches off stays off', async () => {
  using home = openTestHome()
  addPostOffice(home)
  home.write('config.yaml', `${postOfficeOn}platforms: { post: { enabled: false } }\n`)
  const agent = startAgent(home, ['gateway', 'run'], { environment: { POST_TOKEN: 'right', AGENT_INFERENCE_PROVIDER: 'offline' } })
  await agent.heard(gatewayRuns)
  agent.child.kill('SIGTERM')
  expect((await agent.ended).out).not.toContain('post')
})

test('what kept the gateway from starting is said where it was started', async () => {
  using home = openTestHome()
  home.write('config.yaml', 'gateway: { http: { port: 99999999 } }\n')
  const { code, note } = await runAgent(home, ['gateway', 'start'])
  expect(code).toBe(1)
  expect(note).toMatch(/^agent: The gateway failed during start: it ended early\. It said: .*config\.yaml:1: gateway\.http\.port: must be/)
})
