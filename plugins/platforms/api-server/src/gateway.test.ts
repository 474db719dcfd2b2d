// @module-tag process
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import { type AgentProcess, type RunOptions, runAgent, startAgent } from '../../../../test/support/run-agent.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { type ApiUnderTest, describeChat, type OpenApi } from '../test/describe-chat.ts'
import { describeResponses } from '../test/describe-responses.ts'
import { describeRuns } from '../test/describe-runs.ts'

interface Running extends AsyncDisposable {
  readonly agent: AgentProcess
  /** Where the API listens, without `/v1`. */
  readonly url: string
}

/** `agent gateway run` in the foreground; told to stop at the end. */
async function runGateway(home: TestHome, options: RunOptions = {}): Promise<Running> {
  const agent = startAgent(home, ['gateway', 'run'], { timeoutMs: 60_000, ...options })
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

function chat(url: string, messages: readonly { role: string; content: string }[]): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify({ messages }) })
}

proves('api.health', 'a gateway in the background says where it listens, and answers there', async () => {
  using home = openTestHome()
  try {
    const { out } = await runAgent(home, ['gateway', 'start'])
    const [, url = ''] = /^The gateway runs \(pid \d+, (http:\S+)\)\.\n$/.exec(out) ?? []
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' })
    const status = JSON.parse((await runAgent(home, ['gateway', 'status', '--json'])).out)
    expect(status).toMatchObject({ url, platforms: [{ platform: 'api-server', state: 'connected' }] })
    expect(JSON.parse(home.read('gateway_state.json'))).toMatchObject({ url })
  } finally {
    await runAgent(home, ['gateway', 'stop'])
  }
})

proves(
  ['version.api-prefix', 'auth.api.optional', 'config.platforms.extra'],
  'the API is below /v1, needs no key, and is set by the platform block',
  async () => {
    using home = openTestHome()
    home.write('config.yaml', 'platforms:\n  api-server:\n    extra: { model_name: ours }\n')
    await using gateway = await runGateway(home)
    const hello = [{ role: 'user', content: 'hello' }]
    expect((await chat(`${gateway.url}/v1/chat/completions`, hello)).status).toBe(200)
    expect((await chat(`${gateway.url}/chat/completions`, hello)).status).toBe(404)
    expect(await (await fetch(`${gateway.url}/v1/models`)).json()).toMatchObject({ data: [{ id: 'ours' }] })
  },
)

test('a skill that a message begins with is followed in its turn, beside what the caller instructs', async () => {
  using home = openTestHome()
  await using model = await startFakeOpenai({ models: ['m'], answers: [{ text: 'Yes.' }] })
  home.write('config.yaml', JSON.stringify({ model: { provider: 'custom', default: 'm', base_url: model.url } }))
  home.write('skills/tea/SKILL.md', '---\nname: tea\ndescription: Make tea.\n---\nBoil water.\n')
  await using gateway = await runGateway(home)
  const said = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: '/tea make it' },
  ]
  expect((await chat(`${gateway.url}/v1/chat/completions`, said)).status).toBe(200)
  const heard = model.requests.at(-1)?.raw ?? ''
  for (const part of ['Boil water.', 'Be brief.', '"make it"']) expect(heard).toContain(part)
  // A command is a word of a program.
  for (const text of ['/usage', '/new', '/compress all']) {
    expect((await chat(`${gateway.url}/v1/chat/completions`, [{ role: 'user', content: text }])).status).toBe(200)
    expect(model.requests.at(-1)?.raw).toContain(JSON.stringify(text))
  }
})

// The port may be taken on the machine that runs the test: the program then names it.
proves('api.listen', 'without a setting the API listens on port 8642 of this machine, with one elsewhere', async () => {
  using home = openTestHome()
  const gateway = startAgent(home, ['gateway', 'run'], { environment: { API_SERVER_PORT: '' } })
  const started = await Promise.race([gateway.heard(/(?:connected|fatal.*\n.*)\n/), gateway.ended.then(({ note }) => note)])
  gateway.child.kill()
  await gateway.ended
  expect(started).toMatch(/127\.0\.0\.1:8642(?:\n| is taken)/)
  await using other = await runGateway(home)
  expect(new URL(other.url).port).not.toBe('8642')
})

proves('api.chat.stateless', 'a second request knows nothing of the first', async () => {
  using home = openTestHome()
  home.write('script.yaml', 'turns:\n  - { say: first }\n  - { say: second }\n')
  await using gateway = await runGateway(home, { environment: { AGENT_OFFLINE_SCRIPT: `${home.home}/script.yaml` } })
  const ask = async (...contents: string[]): Promise<unknown> => {
    const messages = contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }))
    const answer = (await (await chat(`${gateway.url}/v1/chat/completions`, messages)).json()) as {
      choices: { message: { content: string } }[]
    }
    return answer.choices[0]?.message.content
  }
  expect(await ask('hello')).toBe('first')
  expect(await ask('hello')).toBe('first')
  expect(await ask('hello', 'first', 'and now?')).toBe('second')
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
  await expect.poll(() => home.read('gateway_state.json')).toContain('PORT_IN_USE')
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

proves(
  ['platform-entry.disabled-wins', 'config.platforms.enabled'],
  'switched off in config.yaml it opens no door, whatever its variables say',
  async () => {
    using home = openTestHome()
    home.write('config.yaml', 'platforms:\n  api-server:\n    enabled: false\n')
    const agent = startAgent(home, ['gateway', 'run'], { environment: { API_SERVER_KEY: 'sk-test-of-the-door' } })
    expect(await agent.heard(/agent runs.*\n/)).toBe('agent runs; no HTTP door is open.\n')
    agent.child.kill('SIGTERM')
    await agent.ended
  },
)

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

describeChat('the API server of a running gateway', gateway)
describeResponses('responses of a running gateway', gateway)
describeRuns('runs of a running gateway', { ...gateway, risky: 'run git push --force' })

test('a client hears which model answered where the chosen one did not, streamed or not', async () => {
  await using far = await startFakeOpenai({ answers: [{ refuse: { status: 401, message: 'Incorrect API key provided' } }] })
  await using near = await startFakeOpenai({ answers: [{ text: 'Near.' }] })
  using home = openTestHome()
  const model = { provider: 'custom', default: 'fake-model', base_url: far.url }
  home.write('config.yaml', JSON.stringify({ model, fallback_model: { provider: 'vllm', model: 'fake-model', base_url: near.url } }))
  await using api = await runGateway(home, { environment: { API_SERVER_PORT: '0' } })
  const openai = new OpenAI({ baseURL: `${api.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const asked = { model: 'agent', messages: [{ role: 'user' as const, content: 'hello' }] }
  const whole = await openai.chat.completions.create(asked).withResponse()
  expect([whole.response.headers.get('x-agent-model'), whole.data.model]).toEqual(['vllm/fake-model', 'vllm/fake-model'])
  const streamed = await openai.chat.completions.create({ ...asked, stream: true }).withResponse()
  expect(streamed.response.headers.get('x-agent-model')).toBe('vllm/fake-model')
  const models = new Set<string>()
  for await (const chunk of streamed.data) models.add(chunk.model)
  expect([...models].at(-1)).toBe('vllm/fake-model')
})
