import { expect } from 'vitest'
import { type AgentProcess, runAgent, startAgent } from '../../support/run-agent.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

/** A gateway of the built program; `ended` is awaited when the test is over. */
async function startGateway(home: TestHome, environment: Record<string, string> = {}): Promise<AsyncDisposable & { url: string }> {
  const gateway: AgentProcess = startAgent(home, ['gateway', 'run'], { environment })
  const url = /http:\/\/\S+/.exec(await gateway.heard(/listens at http:\/\/\S+\n/))?.[0] ?? ''
  return {
    url,
    async [Symbol.asyncDispose]() {
      gateway.child.kill()
      await gateway.ended
    },
  }
}

function chat(url: string, messages: readonly { role: string; content: string }[]): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify({ messages }) })
}

proves(
  ['version.api-prefix', 'auth.api.optional', 'config.platforms.extra'],
  'the API is below /v1, needs no key, and is set by the platform block',
  async () => {
    using home = openTestHome()
    home.write('config.yaml', 'platforms:\n  api-server:\n    extra: { model_name: ours }\n')
    await using gateway = await startGateway(home)
    const hello = [{ role: 'user', content: 'hello' }]
    expect((await chat(`${gateway.url}/v1/chat/completions`, hello)).status).toBe(200)
    expect((await chat(`${gateway.url}/chat/completions`, hello)).status).toBe(404)
    expect(await (await fetch(`${gateway.url}/v1/models`)).json()).toMatchObject({ data: [{ id: 'ours' }] })
  },
)

proves('config.platforms.enabled', 'a gateway whose API server is switched off opens no door', async () => {
  using home = openTestHome()
  home.write('config.yaml', 'platforms: { api-server: { enabled: false } }\n')
  const gateway = startAgent(home, ['gateway', 'run'])
  expect(await gateway.heard(/no HTTP door is open/)).not.toContain('http://')
  gateway.child.kill()
  await gateway.ended
})

// The port may be taken on the machine that runs the test: the program then names it.
proves('api.listen', 'without a setting the API listens on port 8642 of this machine, with one elsewhere', async () => {
  using home = openTestHome()
  const gateway = startAgent(home, ['gateway', 'run'], { environment: { API_SERVER_PORT: '' } })
  const started = await Promise.race([gateway.heard(/(?:connected|fatal.*\n.*)\n/), gateway.ended.then(({ note }) => note)])
  gateway.child.kill()
  await gateway.ended
  expect(started).toMatch(/127\.0\.0\.1:8642(?:\n| is taken)/)
  await using other = await startGateway(home)
  expect(new URL(other.url).port).not.toBe('8642')
})

proves('api.chat.stateless', 'a second request knows nothing of the first', async () => {
  using home = openTestHome()
  home.write('script.yaml', 'turns:\n  - { say: first }\n  - { say: second }\n')
  await using gateway = await startGateway(home, { AGENT_OFFLINE_SCRIPT: `${home.home}/script.yaml` })
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

proves(
  'cli.gateway.lifecycle',
  'a gateway of one home is started, seen, restarted and stopped, and that of another is not touched',
  async () => {
    using home = openTestHome()
    using other = openTestHome()
    const pidOf = async (of: TestHome): Promise<number | null> => JSON.parse((await runAgent(of, ['gateway', 'status', '--json'])).out).pid
    expect(await runAgent(home, ['gateway', 'status'])).toMatchObject({ code: 1 })
    expect(await runAgent(home, ['gateway', 'start'])).toMatchObject({ code: 0, out: expect.stringContaining('http://127.0.0.1:') })
    await using beside = await startGateway(other)
    expect(beside.url).not.toBe('')
    const first = await pidOf(home)
    expect(await runAgent(home, ['gateway', 'start'])).toMatchObject({ code: 1, note: expect.stringContaining(`pid ${first}`) })
    expect(await runAgent(home, ['gateway', 'restart'])).toMatchObject({ code: 0 })
    const second = await pidOf(home)
    expect([second === null, second === first, second === (await pidOf(other))]).toEqual([false, false, false])
    expect(await runAgent(home, ['gateway', 'stop'])).toMatchObject({ code: 0 })
    expect(await pidOf(home)).toBeNull()
    expect(await pidOf(other)).not.toBeNull()
  },
)
