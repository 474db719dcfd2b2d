// @module-tag process
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { addPlatform } from '../support/gateways/reload-gateway.ts'
import { missingProgram, needs } from '../support/needs.ts'
import { runAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

interface Finding {
  readonly check: string
  readonly verdict: string
  readonly detail: string
  readonly fix?: string
}

async function examine(home: TestHome, environment: Record<string, string> = {}, ...words: string[]) {
  return examineIn([], home, environment, ...words)
}

/** `wrapper`: the words of a program in which the doctor sees another machine. */
async function examineIn(wrapper: readonly string[], home: TestHome, environment: Record<string, string> = {}, ...words: string[]) {
  const options = { environment: { API_SERVER_PORT: '0', ...environment }, wrapper }
  const { code, out } = await (wrapper.length > 0 ? runAgent : runHere)(home, ['doctor', '--json', ...words], options)
  const { findings } = JSON.parse(out) as { findings: readonly Finding[] }
  const of = (check: string): Finding | undefined => findings.find((each) => each.check === check)
  return { code, of, findings }
}

test('a platform on which nobody answers, because no gateway runs, is a problem', async () => {
  using home = openTestHome()
  expect((await examine(home)).of('gateway')).toMatchObject({ verdict: 'ok', detail: 'does not run' })
  addPlatform(home, 'calm')
  home.write('config.yaml', 'plugins: { entries: { platform-calm: { enabled: true } } }\n')
  const { code, of } = await examine(home)
  const detail = 'does not run, so nobody answers on calm'
  expect([code, of('gateway')]).toEqual([1, { check: 'gateway', verdict: 'problem', detail, fix: 'agent gateway start' }])
})

test('a model that would not answer is a problem: no key, no address, no server, a wrong key', async () => {
  using home = openTestHome()
  const cases: readonly [Record<string, string>, RegExp][] = [
    [{ AGENT_INFERENCE_PROVIDER: 'openai' }, /OPENAI_API_KEY is not set/],
    [{ AGENT_INFERENCE_PROVIDER: 'custom' }, /CUSTOM_BASE_URL is not set|No model is chosen/],
    [
      { AGENT_INFERENCE_PROVIDER: 'openai', OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
      /ECONNREFUSED|could not|broke/,
    ],
  ]
  for (const [environment, detail] of cases) {
    const { code, of } = await examine(home, environment)
    expect([code, of('model')?.verdict]).toEqual([1, 'problem'])
    expect(of('model')?.detail).toMatch(detail)
  }
  await using server = await startFakeOpenai({ key: 'sk-right', answers: [{ text: 'Yes.' }] })
  const custom = { AGENT_INFERENCE_PROVIDER: 'custom', CUSTOM_BASE_URL: server.url, CUSTOM_API_KEY: 'sk-wrong' }
  home.write('config.yaml', 'model: { provider: custom, default: fake-model }\n')
  expect((await examine(home, custom, '--call')).of('model')).toMatchObject({
    verdict: 'problem',
    detail: expect.stringContaining('refused the key'),
  })
})

test('what to do is told with each problem of a model, also where a call was made', async () => {
  using home = openTestHome()
  home.write('config.yaml', 'model: { provider: custom, default: fake-model }\n')
  const nobody = { CUSTOM_BASE_URL: 'http://127.0.0.1:9/v1' }
  for (const words of [[], ['--call']])
    expect((await examine(home, nobody, ...words)).of('model')).toMatchObject({
      verdict: 'problem',
      fix: expect.stringContaining('start its server'),
    })
  await using server = await startFakeOpenai({ key: 'sk-right', answers: [] })
  const keyless = (await examine(home, { CUSTOM_BASE_URL: server.url }, '--call')).of('model')
  expect(keyless?.detail).toMatch(/custom wants a key, and none was sent: .* Put CUSTOM_API_KEY=… into \/\S+\/\.env\.$/)
})

test('a gateway that still answers with the keys of before is a problem until it has read the new ones', async () => {
  using home = openTestHome()
  const write = (key: string): string => home.write('.env', `API_SERVER_PORT=0\nCUSTOM_API_KEY=${key}\n`)
  const run = (...words: string[]) => runHere(home, ['gateway', ...words])
  write('sk-of-yesterday')
  expect(await run('start')).toMatchObject({ code: 0 })
  try {
    const runs = [{ check: 'gateway', verdict: 'ok', detail: expect.stringContaining('runs (pid') }]
    expect((await examine(home)).findings.filter(({ check }) => check === 'gateway')).toEqual(runs)
    write('sk-of-today')
    const { code, findings } = await examine(home)
    const [, unread] = findings.filter(({ check }) => check === 'gateway')
    expect([code, unread]).toMatchObject([
      1,
      { verdict: 'problem', detail: expect.stringMatching(/the old CUSTOM_API_KEY$/), fix: 'agent gateway reload' },
    ])
    expect(JSON.stringify(findings)).not.toContain('sk-of')
    await run('reload')
    expect((await examine(home)).findings.filter(({ check }) => check === 'gateway')).toMatchObject([{ verdict: 'ok' }])
  } finally {
    await run('stop')
  }
})

test('a model that answers is said to, and a real call shows it', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ key: 'sk-right', answers: [{ text: 'Yes.' }] })
  home.write('config.yaml', 'model: { provider: custom, default: fake-model }\n')
  const environment = { CUSTOM_BASE_URL: server.url, CUSTOM_API_KEY: 'sk-right' }
  expect(await examine(home, environment)).toMatchObject({ code: 0 })
  const called = await examine(home, environment, '--call')
  expect(called.of('model')).toMatchObject({ verdict: 'ok', detail: expect.stringMatching(/^custom\/fake-model answered a call in \d/) })
})

test('modes of files, a taken port and the sandbox are told with what to do', async () => {
  using home = openTestHome()
  home.write('.env', 'CUSTOM_API_KEY=sk-x\n')
  chmodSync(join(home.home, '.env'), 0o644)
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  try {
    const { port } = taken.address() as { port: number }
    home.write('config.yaml', 'gateway: { http: { port: 0 } }\n')
    const { code, of } = await examine(home, { API_SERVER_PORT: String(port) })
    expect(of('file modes')).toMatchObject({ verdict: 'warning', fix: `chmod 600 ${join(home.home, '.env')}` })
    expect(of('ports')).toMatchObject({
      verdict: 'problem',
      detail: `127.0.0.1:${port} is taken by another program`,
      fix: expect.stringContaining('API_SERVER_PORT'),
    })
    expect(of('sandbox')?.detail).toMatch(/^Commands run/)
    expect(code).toBe(1)
    home.write('config.yaml', 'gateway: { http: { port: 0 } }\n')
    expect((await examine(home, { API_SERVER_PORT: String(port), API_SERVER_ENABLED: 'false' })).of('ports')).toBeUndefined()
    home.write('config.yaml', `gateway: { http: { port: ${port} } }\n`)
    expect((await examine(home)).of('ports')).toMatchObject({
      verdict: 'warning',
      detail: `127.0.0.1:${port} is taken by another program; a platform whose service calls it cannot start`,
      fix: expect.stringContaining('gateway.http.port'),
    })
    home.write('config.yaml', 'gateway: { http: { host: 192.0.2.1, port: 9 } }\n')
    expect((await examine(home)).of('ports')?.detail).toMatch(/^192\.0\.2\.1:9 cannot be opened: /)
  } finally {
    taken.close()
  }
})

test('a folder in the place of the store, and a configuration that nobody can read, are problems and no traces', async () => {
  using home = openTestHome()
  home.write('state.db/x', '')
  expect((await examine(home)).of('store')).toMatchObject({ verdict: 'problem' })
  home.write('config.yaml', 'a: [')
  const { code, of } = await examine(home)
  expect([code, of('configuration')?.verdict]).toEqual([1, 'problem'])
})

test(
  'a full disk, a home or a store that cannot be written are problems',
  needs(missingProgram('/usr/bin/bwrap', 'bubblewrap')),
  async () => {
    using home = openTestHome()
    await runHere(home, ['chat', '-z', 'hello'])
    const around = (...words: readonly string[]) => examineIn(['/usr/bin/bwrap', '--dev-bind', '/', '/', ...words], home)
    const store = join(home.home, 'state.db')
    expect(await around()).toMatchObject({ code: 0 })
    const full = await around('--size', '3000000', '--tmpfs', home.home)
    expect([full.code, full.of('disk')]).toMatchObject([1, { verdict: 'problem', fix: `make room where ${home.home} lies` }])
    const kept = await around('--ro-bind', store, store)
    expect([kept.code, kept.of('store')]).toMatchObject([1, { verdict: 'problem', fix: `give yourself the right to write ${store}` }])
    const closed = await around('--ro-bind', home.home, home.home)
    expect([closed.code, closed.of('home')]).toMatchObject([1, { verdict: 'problem' }])
  },
)

test('settings without effect are told at check, set, start and by the doctor; a container that nobody gives is an error', async () => {
  using home = openTestHome()
  addPlatform(home, 'calm')
  home.write('config.yaml', 'stt: { provider: x }\nplatforms: { calmm: { enabled: true } }\n')
  const check = await runHere(home, ['config', 'check'])
  expect(check.code).toBe(0)
  expect(check.out).toMatch(/config\.yaml:1: warning: stt\.provider: has no effect: speech is not understood\./)
  expect(check.out).toMatch(/warning: platforms\.calmm: has no effect: no platform "calmm" is installed; did you mean calm\?/)
  const start = await runHere(home, ['chat', '-z', 'hello'])
  expect(start.note).toMatch(/stt\.provider has no effect[\s\S]*platforms\.calmm has no effect/)
  expect((await runHere(home, ['doctor'])).out).toMatch(/warning +configuration +\S+config\.yaml:1: stt\.provider has no effect/)
  expect((await runHere(home, ['config', 'set', 'stt.provider', 'y'])).note).toMatch(/stt\.provider has no effect/)
  home.write('config.yaml', 'terminal: { backend: docker }\n')
  expect(await runHere(home, ['chat', '-z', 'run true'])).toMatchObject({
    code: 1,
    note: expect.stringMatching(/terminal\.backend: has no effect: commands run on this machine only/),
  })
  home.write('config.yaml', '')
  expect((await runHere(home, ['chat', '-z', 'hello'], { environment: { AGENT_TUI: '1' } })).note).toMatch(
    /display\.interface has no effect/,
  )
})
