// @module-tag process
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { startFakeAnthropic } from '../support/fakes/fake-anthropic.ts'
import { type FakeOpenai, startFakeOpenai } from '../support/fakes/fake-openai.ts'
import type { FakeAnswer } from '../support/fakes/fake-vendor.ts'
import { addMyProvider } from '../support/my-provider.ts'
import { type AgentRun, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

interface Asked {
  readonly run: AgentRun
  readonly server: FakeOpenai
  readonly home: TestHome
  /** What the model was told last by a tool. */
  readonly told: string
}

/** One prompt against a chat-completions server that answers as it is told. */
async function ask(answers: readonly FakeAnswer[], use: (asked: Asked) => void | Promise<void>, key = 'sk-right'): Promise<void> {
  using home = openTestHome()
  await using server = await startFakeOpenai({ key: 'sk-right', answers })
  home.write('config.yaml', `model:\n  provider: custom\n  default: fake-model\n  base_url: ${server.url}\n`)
  const run = await runHere(home, ['chat', '-z', 'go'], { environment: { CUSTOM_API_KEY: key } })
  const messages = (server.requests.at(-1)?.body.messages ?? []) as { role: string; content: string }[]
  const told = messages.findLast(({ role }) => role === 'tool')?.content ?? ''
  await use({ run, server, home, told })
}

/** A failed turn leaves no half-written session. */
async function countSessions(home: TestHome): Promise<number> {
  const { out } = await runHere(home, ['sessions', 'list', '--json'])
  return (JSON.parse(out) as { sessions: unknown[] }).sessions.length
}

const refusal = (status: number, message: string, headers?: Record<string, string>): FakeAnswer => ({
  refuse: { status, message, ...(headers ? { headers } : {}) },
})
/** Asks to come back at once, so that the test does not wait for the planned pause. */
const soon = { 'retry-after-ms': '5' }
const greeting: FakeAnswer = { text: 'Here I am.' }

test('a refused key is said once, with what to do, and not tried again', () =>
  ask(
    [greeting],
    async ({ run, server, home }) => {
      expect(run).toMatchObject({ code: 1, out: '' })
      expect(run.note).toMatch(/^agent: custom refused the key: .*see with agent doctor whether it is taken\.\n$/)
      expect(run.note).not.toContain('sk-wrong')
      expect(server.requests).toHaveLength(1)
      expect(await countSessions(home)).toBe(0)
    },
    'sk-wrong-key-of-a-test',
  ))

test('a refused key of the messages API is said the same way', async () => {
  using home = openTestHome()
  await using server = await startFakeAnthropic({ key: 'sk-right' })
  addMyProvider(home, 'anthropic-messages')
  const environment = { MINE_API_KEY: 'sk-wrong-key-of-a-test', MINE_BASE_URL: server.url }
  const run = await runHere(home, ['chat', '-z', 'go', '--provider', 'mine', '-m', 'fake-model'], { environment })
  expect(run).toMatchObject({ code: 1, out: '', note: expect.stringMatching(/^agent: mine refused the key: /) })
})

test('a limited rate is waited for as long as the server says, and the answer comes', () =>
  ask([refusal(429, 'Slow down.', { 'retry-after': '1' }), greeting], ({ run, server }) => {
    expect(run).toMatchObject({ code: 0, out: 'Here I am.\n' })
    expect(run.note).toBe('custom limits the rate: Slow down. Try again later. Trying again in 1 s.\n')
    expect(server.requests).toHaveLength(2)
  }))

test('a rate that is limited for hours is not waited for', () =>
  ask([refusal(429, 'Slow down.', { 'retry-after': '7200' })], ({ run, server }) => {
    expect(run).toMatchObject({ code: 1, out: '', note: 'agent: custom limits the rate: Slow down. Try again later.\n' })
    expect(server.requests).toHaveLength(1)
  }))

test('a failing server is asked four times in all', () =>
  ask([refusal(500, 'Oh no.', soon)], async ({ run, server, home }) => {
    expect(run).toMatchObject({ code: 1, out: '' })
    expect(run.note.trim().split('\n')).toEqual([
      ...Array.from({ length: 3 }, () => 'custom failed on its side: Oh no. Trying again in 5 ms.'),
      'agent: custom failed on its side: Oh no.',
    ])
    expect(server.requests).toHaveLength(4)
    expect(await countSessions(home)).toBe(0)
  }))

test('a stream that is cut in the middle goes on where it stopped, and is read and stored as one answer', () =>
  ask([{ text: ['Half ', 'of it'], cut: true }, { text: ' and the rest.' }], async ({ run, server, home }) => {
    expect([run.code, run.out]).toEqual([0, 'Half of it and the rest.\n'])
    expect(run.note).toMatch(/The connection to custom broke: .* Trying again in \d+ s\./)
    expect(server.requests).toHaveLength(2)
    expect(JSON.stringify(server.requests[1]?.body)).toContain('Half of it')
    expect((await runHere(home, ['sessions', 'export', 'latest'])).out).toContain('Half of it and the rest.')
  }))

test('an answer that ends in the middle for good keeps what came, and says why', () =>
  ask(
    [{ text: ['Half ', 'of it'], error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'No credit is left.' } }],
    async ({ run, home }) => {
      expect([run.code, run.out]).toEqual([1, 'Half of it\n'])
      expect(run.note).toMatch(/No credit is left/)
      expect(await countSessions(home)).toBe(1)
      expect((await runHere(home, ['sessions', 'export', 'latest'])).out).toContain('Half of it\\n[ended early: failed]')
    },
  ))

test('an unknown tool and arguments that are not JSON are results that the model reads', () =>
  ask(
    [
      {
        calls: [
          { name: 'teleport', args: '{}' },
          { name: 'read_file', args: '{"path": ' },
          { name: 'read_file', args: '{"path": 7}' },
        ],
      },
      greeting,
    ],
    ({ run, server }) => {
      expect(run).toEqual({ code: 0, signal: null, out: 'Here I am.\n', note: '' })
      const messages = server.requests[1]?.body.messages as { role: string; tool_call_id?: string; content: string }[]
      expect(messages.slice(-3)).toMatchObject([
        {
          tool_call_id: 'call_1',
          content: expect.stringMatching(/^There is no tool "teleport"\. Nearest to it are: .*tool_search finds others\.$/),
        },
        { tool_call_id: 'call_2', content: expect.stringMatching(/^The arguments of read_file do not fit: /) },
        { tool_call_id: 'call_3', content: expect.stringMatching(/^The arguments of read_file do not fit: .*path/) },
      ])
    },
  ))

proves(
  ['limit.max-iterations', 'env.max-iterations'],
  'a model that never stops calling tools is stopped after 90 steps, or as many as are set',
  () =>
    ask([{ calls: [{ name: 'teleport', args: '{}' }] }], async ({ run, server, home }) => {
      expect(run).toMatchObject({ code: 1, out: '' })
      expect(run.note).toBe('agent: The turn used all of its 90 steps. AGENT_MAX_ITERATIONS raises the limit.\n')
      expect(server.requests).toHaveLength(90)
      const environment = { CUSTOM_API_KEY: 'sk-right', AGENT_MAX_ITERATIONS: '3' }
      expect(await runHere(home, ['chat', '-z', 'go'], { environment })).toMatchObject({
        code: 1,
        note: expect.stringContaining('its 3 steps'),
      })
      expect(server.requests).toHaveLength(93)
    }),
)

test('a command that hangs is killed, and the model is told', () =>
  ask(
    [{ calls: [{ name: 'terminal', args: '{"command":"echo begun; sleep 600; touch late","timeout":1}' }] }, greeting],
    ({ run, home, told }) => {
      expect(run).toMatchObject({ code: 0, out: 'Here I am.\n' })
      expect(told).toMatch(/begun[\s\S]*1 s/)
      expect(existsSync(join(home.work, 'late'))).toBe(false)
    },
  ))

test('of five megabytes of output the model gets the beginning and the end', async () => {
  const command = 'echo first; head -c 5000000 /dev/zero | tr "\\\\0" x; echo; echo last'
  await ask([{ calls: [{ name: 'terminal', args: JSON.stringify({ command }) }] }, greeting], ({ run, told }) => {
    expect(run).toMatchObject({ code: 0, out: 'Here I am.\n' })
    expect(told.length).toBeLessThan(60_000)
    expect(told).toMatch(/first[\s\S]*last/)
  })
})

test('a dangerous command is denied where nobody can answer, and the setting is named', () =>
  ask([{ calls: [{ name: 'terminal', args: '{"command":"rm -rf made/.git"}' }] }, greeting], ({ run, told }) => {
    expect(run).toMatchObject({ code: 0, out: 'Here I am.\n' })
    expect(told).toMatch(/^Not allowed: rm -rf made\/.git \(.*\)\. .*(command_allowlist|approvals)/)
  }))

test('a server that is not there is named, and Ctrl-C ends the wait for the next try', async () => {
  using home = openTestHome()
  const server = await startFakeOpenai()
  await server[Symbol.asyncDispose]()
  home.write('config.yaml', `model:\n  provider: custom\n  default: fake-model\n  base_url: ${server.url}\n`)
  const agent = startAgent(home, ['chat', '-z', 'go'])
  expect(await agent.heard(/Trying again/)).toMatch(/^The connection to custom broke: .*\. Trying again in [23] s\.\n$/)
  agent.child.kill('SIGINT')
  expect(await agent.ended).toMatchObject({ code: 130, out: '', note: expect.stringMatching(/agent: Interrupted\.\n$/) })
})
