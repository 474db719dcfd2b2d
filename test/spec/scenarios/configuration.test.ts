// @module-tag process
import { expect } from 'vitest'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import type { FakeAnswer, FakeRequest } from '../../support/fakes/fake-vendor.ts'
import { addPostOffice, postOfficeOn } from '../../support/gateways/post-office.ts'
import type { AgentRun } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

const say = (home: TestHome, prompt: string): Promise<AgentRun> => runHere(home, ['chat', '-z', prompt, '--provider', 'offline'])
const set = (home: TestHome, key: string, value: string): Promise<AgentRun> => runHere(home, ['config', 'set', key, value])

async function read(home: TestHome, key: string, environment: Record<string, string> = {}): Promise<unknown> {
  const { out } = await runHere(home, ['config', 'get', key, '--json'], { environment })
  return (JSON.parse(out) as { value: unknown }).value
}

proves(
  'config.version',
  'a file that is written carries _config_version 26, and one of a newer format is refused and left alone',
  async () => {
    using home = openTestHome()
    expect(await set(home, 'logging.level', 'debug')).toMatchObject({ code: 0 })
    expect(home.read('config.yaml')).toMatch(/^_config_version: 26\n/)
    const newer = '_config_version: 27\nlogging: { level: warn }\n'
    home.write('config.yaml', newer)
    for (const words of [
      ['chat', '-z', 'hello'],
      ['config', 'set', 'logging.level', 'info'],
    ]) {
      expect(await runHere(home, words)).toMatchObject({ code: 1, out: '', note: expect.stringContaining('_config_version 27') })
    }
    expect(home.read('config.yaml')).toBe(newer)
  },
)

proves('version.config.merge', 'one key of a section leaves the defaults of the others', async () => {
  using home = openTestHome()
  const before = await read(home, 'compression')
  home.write('config.yaml', 'compression:\n  protect_last_n: 3\ngateway:\n  http: { port: 9000 }\n')
  expect(await read(home, 'compression')).toEqual({ ...(before as object), protect_last_n: 3 })
  expect(await read(home, 'gateway.http')).toEqual({ host: '127.0.0.1', port: 9000 })
})

proves(
  'version.config.migration',
  'an older file means what it meant, and is written in the format of today with its comments',
  async () => {
    using home = openTestHome()
    const old = [
      '_config_version: 12',
      'model: some-model # the good one',
      'approvals: { mode: manual }',
      'terminal:',
      '  docker_forward_env: [LANG]',
      'stt:',
      '  openai: { model: whisper-1 }',
      '',
    ].join('\n')
    home.write('config.yaml', old)
    expect(await read(home, 'model.default')).toBe('some-model')
    expect(await read(home, 'approvals.mode')).toBe('ask')
    expect(await read(home, 'terminal.container_forward_env')).toEqual(['LANG'])
    expect(await read(home, 'stt.providers.openai.model')).toBe('whisper-1')
    expect(home.read('config.yaml')).toBe(old)
    await set(home, 'logging.level', 'warn')
    expect(home.read('config.yaml')).toMatch(/^_config_version: 26\n/)
    expect(home.read('config.yaml')).toContain('# the good one')
    expect(await runHere(home, ['config', 'check'])).toMatchObject({ code: 0 })
  },
)

proves(
  ['config.compression.yaml-only', 'version.rename.compression-env'],
  'compression is set by config.yaml and by no variable',
  async () => {
    using home = openTestHome()
    const environment = Object.fromEntries(
      ['COMPRESSION_ENABLED', 'COMPRESSION_THRESHOLD', 'COMPRESSION_SUMMARY_MODEL', 'CONTEXT_COMPRESSION_ENABLED'].flatMap((name) => [
        [name, '0.9'],
        [`AGENT_${name}`, '0.9'],
      ]),
    )
    expect(await read(home, 'compression', environment)).toEqual(await read(home, 'compression'))
    home.write('config.yaml', 'compression: { threshold: 0.7 }\n')
    expect(await read(home, 'compression.threshold', environment)).toBe(0.7)
  },
)

proves('config.terminal.persistent-shell.kept', 'with a persistent shell a command sees what the one before exported', async () => {
  using home = openTestHome()
  const twice = 'run export SEEN=before then run echo seen=$SEEN.'
  expect((await say(home, twice)).out).toContain('seen=before.')
  await set(home, 'terminal.persistent_shell', 'false')
  expect((await say(home, twice)).out).toContain('seen=.')
})

proves(
  'config.approvals.values',
  'ask and smart deny a dangerous command where nobody can answer, off runs it, another word is refused',
  async () => {
    using home = openTestHome()
    const dangerous = 'run mkdir -p box/.git && rm -rf box/.git && echo gone'
    for (const mode of ['ask', 'smart']) {
      expect(await set(home, 'approvals.mode', mode)).toMatchObject({ code: 0 })
      expect((await say(home, dangerous)).out).toContain('command_allowlist')
    }
    await set(home, 'approvals.mode', 'off')
    expect((await say(home, dangerous)).out).toMatch(/^gone$/m)
    expect(await set(home, 'approvals.mode', 'never')).toMatchObject({ code: 1, note: expect.stringMatching(/ask.*smart.*off/) })
    expect(await read(home, 'approvals.mode')).toBe('off')
  },
)

proves('config.approvals.smart', 'in smart mode a model judges what would otherwise be asked', async () => {
  const verdicts = ['ALLOW', 'DENY', 'maybe']
  const isJudge = ({ body }: FakeRequest): boolean => JSON.stringify(body).includes('Answer with one word')
  const dangerous = { name: 'terminal', args: JSON.stringify({ command: 'mkdir -p box/.git && rm -rf box/.git && echo gone' }) }
  const answer = (request: FakeRequest): FakeAnswer => {
    if (isJudge(request)) return { text: verdicts.shift() ?? 'ASK' }
    return JSON.stringify(request.body).includes('"role":"tool"') ? { text: 'Done.' } : { calls: [dangerous] }
  }
  await using model = await startFakeOpenai({ answers: answer })
  using home = openTestHome()
  home.write(
    'config.yaml',
    JSON.stringify({ model: { provider: 'custom', default: 'fake-model', base_url: model.url }, approvals: { mode: 'smart' } }),
  )
  const results: string[] = []
  for (let time = 0; time < 3; time++) {
    expect(await runHere(home, ['chat', '-z', 'Tidy up.'])).toMatchObject({ code: 0 })
    results.push(JSON.stringify(model.requests.at(-1)?.body))
  }
  expect(results[0]).toContain('gone')
  expect(results[1]).toContain('approvals.mode: smart) said no')
  expect(results[2]).toContain('Nobody can answer here')
  expect(model.requests.filter(isJudge)).toHaveLength(3)
  const { usage } = JSON.parse((await runHere(home, ['usage', '--json'])).out) as { usage: { source: string; calls: number }[] }
  expect(usage.filter(({ source }) => source === 'approval').reduce((sum, { calls }) => sum + calls, 0)).toBe(3)
})

proves('config.approvals.smart', 'the model of auxiliary.approval judges, at the address that stands there', async () => {
  const calls = [{ name: 'terminal', args: JSON.stringify({ command: 'mkdir -p box/.git && rm -rf box/.git && echo gone' }) }]
  const isTold = ({ body }: FakeRequest): boolean => JSON.stringify(body).includes('"role":"tool"')
  await using model = await startFakeOpenai({ answers: (request) => (isTold(request) ? { text: 'Done.' } : { calls }) })
  await using judge = await startFakeOpenai({ answers: () => ({ text: 'ALLOW' }) })
  using home = openTestHome()
  const config = {
    model: { provider: 'custom', default: 'fake-model', base_url: model.url },
    approvals: { mode: 'smart' },
    auxiliary: { approval: { model: 'fake-model', base_url: judge.url } },
  }
  home.write('config.yaml', JSON.stringify(config))
  expect(await runHere(home, ['chat', '-z', 'Tidy up.'])).toMatchObject({ code: 0 })
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('gone')
  expect(judge.requests.map(({ body }) => JSON.stringify(body).includes('Answer with one word'))).toEqual([true])
  expect(model.requests).toHaveLength(2)
})

proves('config.updates', 'the settings of updates are accepted, and a wrong value names its line', async () => {
  using home = openTestHome()
  const values = { pre_update_backup: 'full', backup_keep: 2, non_interactive_local_changes: 'discard' }
  for (const [key, value] of Object.entries(values)) expect(await set(home, `updates.${key}`, String(value))).toMatchObject({ code: 0 })
  expect(await read(home, 'updates')).toEqual(values)
  home.write('config.yaml', 'updates:\n  backup_keep: many\n')
  expect(await runHere(home, ['config', 'check'])).toMatchObject({
    code: 1,
    out: expect.stringMatching(/config\.yaml:2.*updates\.backup_keep/),
  })
})

proves(
  ['platform-entry.disabled-wins', 'config.platforms.enabled'],
  'a platform runs when its variables are there, unless config.yaml switches it off',
  async () => {
    using home = openTestHome()
    addPostOffice(home)
    home.write('config.yaml', postOfficeOn)
    const environment = { POST_TOKEN: 'right-configuration' }
    const stateOf = async (): Promise<unknown> => {
      const { out } = await runHere(home, ['plugins', 'info', 'post', '--json'], { environment })
      const [{ state, reason }] = JSON.parse(out).plugins
      return { state, reason }
    }
    expect(await stateOf()).toEqual({ state: 'ready', reason: null })
    await set(home, 'platforms.post.enabled', 'false')
    expect(await stateOf()).toEqual({ state: 'blocked', reason: 'disabled' })
  },
)

proves('config.platforms.extra', "a platform's own settings are checked against its manifest and block nobody else", async () => {
  using home = openTestHome()
  addPostOffice(home)
  home.write('config.yaml', `${postOfficeOn}platforms:\n  post:\n    extra: { counters: six }\n`)
  const environment = { POST_TOKEN: 'right-configuration' }
  const { plugins } = JSON.parse((await runHere(home, ['plugins', 'list', '--json'], { environment })).out)
  const states = Object.fromEntries(plugins.map((plugin: { id: string; reason: string | null }) => [plugin.id, plugin.reason]))
  expect(states).toMatchObject({ 'platform-post': 'config-invalid', 'provider-offline': null })
  await set(home, 'platforms.post.extra.counters', '6')
  const fixed = JSON.parse((await runHere(home, ['plugins', 'info', 'post', '--json'], { environment })).out)
  expect(fixed.plugins).toMatchObject([{ state: 'ready' }])
})
