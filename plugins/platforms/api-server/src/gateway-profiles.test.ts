// @module-tag process
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readText } from '../../../../test/repo/source-files.ts'
import { addProfile } from '../../../../test/support/gateways/profile-home.ts'
import { type AgentProcess, runAgent, startAgent } from '../../../../test/support/run-agent.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'

const settings = 'gateway: { multiplex_profiles: true, http: { port: 0 } }\nterminal: { sandbox: "off" }\n'
const offline = 'AGENT_INFERENCE_PROVIDER=offline\nAGENT_OFFLINE_OPEN=true\n'

interface Served extends AsyncDisposable {
  readonly gateway: AgentProcess
  readonly url: string
}

/** The gateway of the default profile, once it has said of each of the others what became of it. */
async function runServing(
  home: TestHome,
  profiles: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const gateway = startAgent(home, ['gateway', 'run'], { environment, timeoutMs: 60_000 })
  const [, url = ''] = /listens at (\S+)/.exec(await gateway.heard(/listens at \S+\n/)) ?? []
  for (const profile of profiles) await gateway.heard(new RegExp(`Profile ${profile} is .*\\n`))
  return {
    gateway,
    url,
    async [Symbol.asyncDispose]() {
      gateway.child.kill('SIGTERM')
      expect(await gateway.ended).toMatchObject({ code: 0 })
    },
  }
}

interface Answer {
  readonly status: number
  readonly text: string
}

async function ask(url: string, key: string, body?: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const response = await fetch(url, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers })
  return { status: response.status, text: await response.text() }
}

const say = (content: string): object => ({ messages: [{ role: 'user', content }] })

test('two profiles answer at one address, each to its own key, with its own model, variables and conversations', async () => {
  using home = openTestHome()
  const work = addProfile(home, 'work')
  home.write('config.yaml', settings)
  home.write('.env', `API_SERVER_KEY=key-of-default\nSHARED_NAME=secret-of-default\n${offline}`)
  work.write('config.yaml', settings)
  work.write('.env', `API_SERVER_KEY=key-of-work\nSHARED_NAME=secret-of-work\n${offline}`)
  const meant = { NOTE_OF_START: 'meant-for-default', API_SERVER_MODEL_NAME: 'named-at-the-start' }
  await using served = await runServing(home, ['work'], meant)
  const { url } = served
  const below = `${url}/p/work`
  expect(await ask(`${below}/health`, '')).toMatchObject({ status: 200 })
  for (const [place, key, other] of [
    [url, 'key-of-default', 'key-of-work'],
    [below, 'key-of-work', 'key-of-default'],
  ] as const) {
    expect(await ask(`${place}/v1/models`, key)).toMatchObject({ status: 200 })
    expect(await ask(`${place}/v1/models`, other)).toMatchObject({ status: 401 })
    expect(await ask(`${place}/v1/chat/completions`, other, say('hello'))).toMatchObject({ status: 401 })
  }
  expect(await ask(`${url}/p/nobody/v1/models`, 'key-of-work')).toMatchObject({ status: 404 })
  expect((await ask(`${url}/v1/models`, 'key-of-default')).text).toContain('named-at-the-start')
  expect((await ask(`${below}/v1/models`, 'key-of-work')).text).toContain('"work"')

  const ours = await ask(`${url}/v1/chat/completions`, 'key-of-default', say('run env'))
  const theirs = await ask(`${below}/v1/chat/completions`, 'key-of-work', say('run env'))
  expect([ours.status, theirs.status]).toEqual([200, 200])
  expect(ours.text).toContain('meant-for-default')
  expect(theirs.text).toContain(`AGENT_HOME=${work.home}`)
  expect(theirs.text).not.toMatch(/meant-for-default|named-at-the-start|of-default/)
  expect(ours.text).not.toContain('of-work')

  const { run_id: id } = JSON.parse((await ask(`${below}/v1/runs`, 'key-of-work', { input: 'hello' })).text) as { run_id: string }
  expect(await ask(`${below}/v1/runs/${id}`, 'key-of-work')).toMatchObject({ status: 200 })
  expect(await ask(`${url}/v1/runs/${id}`, 'key-of-default')).toMatchObject({ status: 404 })
  expect(await ask(`${below}/v1/runs/${id}`, 'key-of-default')).toMatchObject({ status: 401 })
  const listed = await runAgent(home, ['sessions', 'list', '--json'])
  expect(JSON.stringify(JSON.parse(listed.out))).not.toContain('of-work')
  expect(home.read('logs/gateway.log')).not.toContain('of-work')
  expect(work.read('logs/gateway.log')).not.toContain('of-default')
}, 90_000)

test('a profile without a key is not served where others reach the address', async () => {
  using home = openTestHome()
  const work = addProfile(home, 'work')
  home.write('config.yaml', settings)
  home.write('.env', `API_SERVER_KEY=key-of-default\nAPI_SERVER_HOST=0.0.0.0\n${offline}`)
  work.write('.env', offline)
  await using served = await runServing(home, ['work'])
  const { out } = await runAgent(home, ['-p', 'work', 'gateway', 'status', '--json'])
  expect(JSON.parse(out)).toMatchObject({
    ...{ state: 'running', servedBy: 'default', url: '' },
    platforms: [{ platform: 'api-server', state: 'fatal', error: { code: 'BIND_UNSAFE' } }],
  })
  const place = served.url.replace('0.0.0.0', '127.0.0.1')
  expect(await ask(`${place}/p/work/health`, '')).toMatchObject({ status: 404 })
  expect(await ask(`${place}/health`, '')).toMatchObject({ status: 200 })
}, 60_000)

test('what the page about profiles says is so', async () => {
  using home = openTestHome()
  const [switching = '', asking = ''] = [...readText('host/docs/serve-profiles.md').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
    ([, text = '']) => text,
  )
  home.write('config.yaml', 'gateway: { http: { port: 0 } }\n')
  const type = (block: string): string => {
    const env = { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline', WORK_KEY: 'key-of-work' }
    const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', block], { cwd: home.work, env, encoding: 'utf8', timeout: 60_000 })
    expect(status, stderr).toBe(0)
    return stdout
  }
  try {
    const [create = '', ...rest] = switching.trim().split('\n')
    type(create)
    home.write('profiles/work/.env', 'API_SERVER_KEY=key-of-work\n')
    const said = new Map(rest.map((line) => [line, type(line)]))
    const [, url = ''] = /Profile work is served at (\S+)\/p\/work\./.exec(said.get('agent gateway restart') ?? '') ?? []
    const answers = type(asking.replaceAll('http://127.0.0.1:8642', url))
    expect(answers).toContain('"ok"')
    expect(answers).toContain('"work"')
    // A profile that is served for the first time gets what comes with the program.
    expect(existsSync(join(home.home, 'profiles', 'work', 'skills'))).toBe(true)
  } finally {
    type('agent gateway stop')
  }
}, 120_000)
