// @module-tag process
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { startFakeAnthropic } from '../support/fakes/fake-anthropic.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import type { FakeAnswer, FakeRequest } from '../support/fakes/fake-vendor.ts'
import { addMyProvider } from '../support/my-provider.ts'
import { type AgentRun, runAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const say = (home: TestHome, prompt: string, ...words: string[]): Promise<AgentRun> => runAgent(home, ['chat', '-z', prompt, ...words])

proves(
  ['cli.chat.one-shot', 'cli.binary', 'session.stored'],
  'the offline model runs a command, edits a file and reports; the session is stored',
  async () => {
    using home = openTestHome()
    const run = await say(home, 'run echo hello > made.txt then replace hello with goodbye in made.txt then read made.txt')
    expect(run).toMatchObject({ code: 0, note: '' })
    expect(run.out).toContain('goodbye')
    expect(readFileSync(join(home.work, 'made.txt'), 'utf8')).toBe('goodbye\n')
    expect(await sessionsOf(home)).toMatchObject([{ source: 'oneshot', provider: 'offline' }])
  },
)

async function sessionsOf(home: TestHome, ...words: string[]): Promise<readonly { readonly id: string; readonly source: string }[]> {
  const { out } = await runAgent(home, [...words, 'sessions', 'list', '--json'])
  return (JSON.parse(out) as { sessions: { id: string; source: string }[] }).sessions
}

/** Two tools side by side in the first answer, then a report of their results in the order of the calls. */
const parallel: readonly FakeAnswer[] = [
  {
    text: 'I do both.',
    calls: [
      { name: 'write_file', args: JSON.stringify({ path: 'left.txt', content: 'left hand' }) },
      { name: 'terminal', args: JSON.stringify({ command: 'echo right hand' }) },
    ],
  },
  { text: ['Both ', 'are done.'] },
]

proves(
  ['cli.chat.one-shot', 'env.provider-key', 'env.provider-base-url'],
  'streamed parallel tool calls of a chat-completions server',
  async () => {
    using home = openTestHome()
    await using server = await startFakeOpenai({ key: 'sk-right', answers: parallel })
    const environment = { CUSTOM_API_KEY: 'sk-right', CUSTOM_BASE_URL: server.url }
    const run = await runAgent(home, ['chat', '-z', 'do both', '--provider', 'custom', '-m', 'fake-model'], { environment })
    expect(run).toEqual({ code: 0, signal: null, note: '', out: 'Both are done.\n' })
    expect(readFileSync(join(home.work, 'left.txt'), 'utf8')).toBe('left hand')
    const [, second] = server.requests
    expect(messagesOf(second).slice(-3)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
      { role: 'tool', tool_call_id: 'call_1', content: expect.stringContaining('left.txt') },
      { role: 'tool', tool_call_id: 'call_2', content: expect.stringContaining('right hand') },
    ])
  },
)

proves(['cli.chat.one-shot', 'cli.chat.provider'], 'streamed parallel tool calls of a messages server', async () => {
  using home = openTestHome()
  await using server = await startFakeAnthropic({ key: 'sk-right', answers: parallel })
  addMyProvider(home, 'anthropic-messages')
  const environment = { MINE_API_KEY: 'sk-right', MINE_BASE_URL: server.url }
  const run = await runAgent(home, ['chat', '-z', 'do both', '--provider', 'mine', '-m', 'fake-model'], { environment })
  expect(run).toEqual({ code: 0, signal: null, note: '', out: 'Both are done.\n' })
  expect(existsSync(join(home.work, 'left.txt'))).toBe(true)
  const [, second] = server.requests
  expect(messagesOf(second).at(-1)).toMatchObject({
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: expect.anything() },
      { type: 'tool_result', tool_use_id: 'toolu_2', content: expect.anything() },
    ],
  })
  expect(JSON.stringify(messagesOf(second).at(-1))).toMatch(/left\.txt.*right hand/s)
})

proves(
  [
    'cli.chat.continue',
    'cli.chat.resume',
    'session.resume.continue',
    'session.resume.resume',
    'session.title.rename',
    'cli.sessions.rename',
  ],
  '-c and --resume go on with a session, by title and by the latest',
  async () => {
    using home = openTestHome()
    await using server = await startFakeOpenai()
    home.write('config.yaml', `model:\n  provider: custom\n  default: fake-model\n  base_url: ${server.url}\n`)
    await say(home, 'my name is Ann')
    const id = (await sessionsOf(home))[0]?.id ?? ''
    expect(await runAgent(home, ['sessions', 'rename', id, 'names'])).toMatchObject({ code: 0 })
    expect(await say(home, 'something else')).toMatchObject({ code: 0 })
    for (const words of [['-c', 'names'], ['--resume', 'names'], ['--resume', id], ['-c']]) {
      expect(await say(home, `once more with ${words.join(' ')}`, ...words)).toMatchObject({ code: 0, note: '' })
    }
    const said = server.requests.map((request) =>
      messagesOf(request)
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content),
    )
    expect(said.slice(1)).toEqual([
      ['something else'],
      ['my name is Ann', 'once more with -c names'],
      ['my name is Ann', 'once more with -c names', 'once more with --resume names'],
      ['my name is Ann', 'once more with -c names', 'once more with --resume names', `once more with --resume ${id}`],
      ['my name is Ann', 'once more with -c names', 'once more with --resume names', `once more with --resume ${id}`, 'once more with -c'],
    ])
  },
)

test('a conversation goes on with the model of now, and it is said that another one began it', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ models: ['old', 'new'] })
  const choose = (model: string) =>
    home.write('config.yaml', `model:\n  provider: custom\n  default: ${model}\n  base_url: ${server.url}\n`)
  choose('old')
  await say(home, 'hello')
  choose('new')
  expect(await say(home, 'again', '-c')).toMatchObject({
    code: 0,
    note: 'custom/new goes on with this conversation, which began with custom/old.\n',
  })
  expect(server.requests.map(({ body }) => body.model)).toEqual(['old', 'new'])
})

proves(
  ['env.inference-provider', 'cli.chat.provider', 'purpose.providers.selection'],
  'the flag comes before the variable, the variable before config.yaml',
  async () => {
    using home = openTestHome()
    await using written = await startFakeOpenai({ answers: [{ text: 'from config.yaml' }] })
    await using named = await startFakeOpenai({ answers: [{ text: 'from the variable' }] })
    addMyProvider(home, 'openai-chat', `model:\n  provider: custom\n  default: fake-model\n  base_url: ${written.url}\n`)
    const environment = { MINE_API_KEY: 'sk-any', MINE_BASE_URL: named.url, AGENT_INFERENCE_PROVIDER: 'mine' }
    expect(await say(home, 'hello')).toMatchObject({ code: 0, out: 'from config.yaml\n' })
    expect(await runAgent(home, ['chat', '-z', 'hello', '-m', 'fake-model'], { environment })).toMatchObject({
      code: 0,
      out: 'from the variable\n',
    })
    const flag = await runAgent(home, ['chat', '-z', 'hello', '--provider', 'offline'], { environment })
    expect(flag).toMatchObject({ code: 0, out: expect.stringContaining('offline model') })
  },
)

proves('cli.chat.profile', 'a profile has its own sessions and settings', async () => {
  using home = openTestHome()
  expect(await runAgent(home, ['profile', 'create', 'work'])).toMatchObject({ code: 0 })
  expect(await runAgent(home, ['-p', 'work', 'chat', '-z', 'hello'])).toMatchObject({ code: 0 })
  expect(await runAgent(home, ['work', 'chat', '-z', 'hello again'])).toMatchObject({ code: 0 })
  expect(await sessionsOf(home, '-p', 'work')).toHaveLength(2)
  expect(await sessionsOf(home)).toEqual([])
})

proves('cli.chat.one-shot', 'the prompt may come from standard input', async () => {
  using home = openTestHome()
  const run = await runAgent(home, ['chat', '-z', '-', '--provider', 'offline'], { input: 'stream 3 tokens\n' })
  expect(run).toMatchObject({ code: 0, out: 'offline-1 offline-2 offline-3\n' })
})

function messagesOf(request: FakeRequest | undefined): { role: string; content: unknown }[] {
  return (request?.body.messages ?? []) as { role: string; content: unknown }[]
}
