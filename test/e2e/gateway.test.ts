import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { startFakeOpenai } from '../support/fake-openai.ts'
import { addPostOffice, postOfficeOn } from '../support/post-office.ts'
import { type AgentProcess, type RunOptions, runAgent, startAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { type ApiUnderTest, describeApi, type OpenApi } from './describe-api.ts'
import { describeApiResponses } from './describe-api-responses.ts'
import { describeApiRuns } from './describe-api-runs.ts'

interface Running extends AsyncDisposable {
  readonly agent: AgentProcess
  /** Where the API listens, without `/v1`. */
  readonly url: string
}

/** `agent gateway run` in the foreground; told to stop at the end. */
async function runGateway(home: TestHome, options: RunOptions = {}, words: readonly string[] = []): Promise<Running> {
  const agent = startAgent(home, ['gateway', 'run', ...words], { timeoutMs: 60_000, ...options })
  const said = await agent.heard(/listens at \S+\n/)
  return {
    agent,
    url: /listens at (\S+)/.exec(said)?.[1] ?? '',
    async [Symbol.asyncDispose]() {
      agent.child.kill('SIGTERM')
      await agent.ended
    },
  }
}

proves(['cli.gateway.lifecycle', 'api.health'], 'start, status, restart and stop of a gateway in the background', async () => {
  using home = openTestHome()
  const started = await runAgent(home, ['gateway', 'start'])
  try {
    expect(started).toMatchObject({ code: 0, note: '' })
    const [, pid = '', url = ''] = /^The gateway runs \(pid (\d+), (http:\S+)\)\.\n$/.exec(started.out) ?? []
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' })
    const { code, out } = await runAgent(home, ['gateway', 'status', '--json'])
    const running = { state: 'running', pid: Number(pid), url, platforms: [{ platform: 'api-server', state: 'connected' }] }
    expect([code, JSON.parse(out)]).toMatchObject([0, running])
    expect(JSON.parse(home.read('gateway_state.json'))).toMatchObject({ gateway_state: 'running', pid: Number(pid), url })
    expect(await runAgent(home, ['gateway', 'start'])).toMatchObject({
      code: 1,
      out: '',
      note: `agent: A gateway already runs for ${home.home} (pid ${pid}, ${url}).\n`,
    })

    const again = await runAgent(home, ['gateway', 'restart'])
    expect(again.out).toMatch(/^The gateway stopped\.\nThe gateway runs \(pid \d+, http:\S+\)\.\n$/)
    expect(again.out).not.toContain(`pid ${pid},`)
  } finally {
    expect(await runAgent(home, ['gateway', 'stop'])).toMatchObject({ code: 0, out: 'The gateway stopped.\n' })
  }
  expect(await runAgent(home, ['gateway', 'status'])).toMatchObject({ code: 1, out: expect.stringMatching(/^No gateway runs for /) })
  expect(JSON.parse(home.read('gateway_state.json'))).toMatchObject({ gateway_state: 'stopped', pid: null })
  expect(existsSync(join(home.home, 'gateway.pid'))).toBe(false)
})

proves(
  'env.agent-home.scope',
  'a second gateway of one home is refused, in the way of npm start it points at the first; another home has its own',
  async () => {
    using home = openTestHome()
    using other = openTestHome()
    await using first = await runGateway(home)
    const sentence = `A gateway already runs for ${home.home} (pid ${first.agent.child.pid}, ${first.url}).\n`
    expect(await runAgent(home, ['gateway', 'run'])).toEqual({ code: 1, signal: null, out: '', note: `agent: ${sentence}` })
    expect(await runAgent(home, ['gateway', 'run', '--from-start'])).toEqual({ code: 0, signal: null, out: sentence, note: '' })
    await using second = await runGateway(other)
    expect(second.url).not.toBe(first.url)
  },
)

test('a gateway that was killed leaves nothing in the way of the next one', async () => {
  using home = openTestHome()
  const first = await runGateway(home)
  first.agent.child.kill('SIGKILL')
  await first.agent.ended
  expect(await runAgent(home, ['gateway', 'status'])).toMatchObject({ code: 1 })
  await using second = await runGateway(home)
  expect(await (await fetch(`${second.url}/health`)).json()).toMatchObject({ status: 'ok' })
})

test('a taken port is named, and the gateway goes on without that door', async () => {
  using home = openTestHome()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const agent = startAgent(home, ['gateway', 'run'], { environment: { API_SERVER_PORT: String(port) } })
  expect(await agent.heard(/api-server: .*\n.*\n/)).toContain(
    `agent runs; no HTTP door is open.\n  api-server: fatal (PORT_IN_USE)\n    127.0.0.1:${port} is taken by another program.`,
  )
  expect(home.read('gateway_state.json')).toContain('PORT_IN_USE')
  agent.child.kill('SIGTERM')
  expect(await agent.ended).toMatchObject({ code: 0 })
  server.close()
})

test('an address that others reach is refused without a key', async () => {
  using home = openTestHome()
  const agent = startAgent(home, ['gateway', 'run'], { environment: { API_SERVER_HOST: '0.0.0.0' } })
  expect(await agent.heard(/api-server: .*\n.*\n/)).toContain(
    'api-server: fatal (BIND_UNSAFE)\n    Refusing to listen on 0.0.0.0 without a key',
  )
  agent.child.kill('SIGTERM')
  expect(await agent.ended).toMatchObject({ code: 0 })
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

test('SIGTERM ends what is being answered, and the gateway leaves with 0', async () => {
  using home = openTestHome()
  const { agent, url } = await runGateway(home)
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
  const stream = await openai.chat.completions.create({
    model: 'agent',
    messages: [{ role: 'user', content: 'stream 9999 tokens every 5 ms' }],
    stream: true,
  })
  let heard = 0
  const reading = (async () => {
    for await (const _ of stream) if (++heard === 3) agent.child.kill('SIGTERM')
  })().catch(() => 'cut')
  expect(await agent.ended).toMatchObject({ code: 0, note: 'Stopping; what runs is finished or kept for the next start.\n' })
  await reading
  expect(heard).toBeGreaterThan(2)
  expect(existsSync(join(home.home, 'gateway.pid'))).toBe(false)
})

proves(['platform-entry.disabled-wins', 'config.platforms.enabled'], 'a platform that config.yaml switches off stays off', async () => {
  using home = openTestHome()
  home.write('config.yaml', 'platforms:\n  api-server:\n    enabled: false\n')
  const agent = startAgent(home, ['gateway', 'run'], { environment: { API_SERVER_KEY: 'sk-test-of-the-door' } })
  expect(await agent.heard(/agent runs.*\n/)).toBe('agent runs; no HTTP door is open.\n')
  agent.child.kill('SIGTERM')
  await agent.ended
})

test('a client that goes away ends the call to the model', async () => {
  using home = openTestHome()
  await using model = await startFakeOpenai({ answers: [{ text: ['One ', 'two '], hang: 'body' }] })
  home.write('config.yaml', `model:\n  provider: custom\n  default: fake-model\n  base_url: ${model.url}\n`)
  await using gateway = await runGateway(home)
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const stream = await openai.chat.completions.create({ model: 'agent', messages: [{ role: 'user', content: 'go' }], stream: true })
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) stream.controller.abort()
  await model.abandoned
})

async function openWhole({ key, origins = [] }: { key?: string; origins?: readonly string[] }): Promise<OpenApi> {
  const home = openTestHome()
  const environment = {
    AGENT_INFERENCE_PROVIDER: 'offline',
    API_SERVER_KEY: key ?? '',
    API_SERVER_CORS_ORIGINS: origins.join(','),
  }
  const gateway = await runGateway(home, { environment, timeoutMs: 120_000 })
  return {
    url: `${gateway.url}/v1`,
    // A process cannot be looked into; the test above sees the call to the model end.
    interrupted: async () => undefined,
    async close() {
      await gateway[Symbol.asyncDispose]()
      home[Symbol.dispose]()
    },
  }
}

const gateway: ApiUnderTest = {
  open: openWhole,
  greet: { say: 'hello', answer: /^Hello! I am the offline model/ },
  long: { say: 'stream 500 tokens', answer: /^offline-1 offline-2 .* offline-500\s*$/ },
  tool: { say: 'run echo seen', answer: /seen/ },
  endless: 'stream 99999 tokens every 5 ms',
  fail: { say: 'fail overloaded', status: 503, code: 'model_overloaded' },
}

describeApi('the API server of a running gateway', gateway)
describeApiResponses('responses of a running gateway', gateway)
describeApiRuns('runs of a running gateway', { ...gateway, risky: 'run rm -rf ./nothing-here' })
