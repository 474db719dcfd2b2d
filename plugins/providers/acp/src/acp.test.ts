// @module-tag process
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ModelEvent, type ModelRequest, manifestSchema, type ProviderContext } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { say, testAgent } from '../test/contract.ts'
import provider from './acp.ts'
import type { AcpConfig } from './config.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
const callOf = (signal = new AbortController().signal) => ({ id: 'call', signal, deadline: 60_000 })

async function openAcp(config: object = { acp: testAgent }, contribution = 'acp') {
  const host = openTestContext({ manifest, contribution, config })
  const source = await provider.open(host.context as ProviderContext<AcpConfig>, callOf()).catch(async (error: unknown) => {
    await host.close()
    throw error
  })
  const ask = async (request: ModelRequest, signal?: AbortSignal): Promise<readonly ModelEvent[]> => {
    const events: ModelEvent[] = []
    for await (const event of source.stream(request, callOf(signal))) events.push(event)
    return events
  }
  return { source, ask, [Symbol.asyncDispose]: () => host.close() }
}

const textOf = (events: readonly ModelEvent[]): string => events.map((event) => (event.type === 'text' ? event.delta : '')).join('')

test('it answers with the words of the agent, in the model that was chosen, and counts what it tells', async () => {
  await using acp = await openAcp()
  const events = await acp.ask(say('hello'))
  expect(textOf(events)).toBe('Hello from small.')
  const usage = { input: 7, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop', usage })
  expect(textOf(await acp.ask({ ...say('hello'), model: 'large' }))).toBe('Hello from large.')
  expect(await acp.source.models?.(callOf())).toEqual(['default', 'small', 'large'])
})

test('a model that the agent does not have is refused with those that it has', async () => {
  await using acp = await openAcp()
  expect(await acp.ask({ ...say('hello'), model: 'huge' })).toMatchObject([
    { type: 'failed', class: 'model_not_found', error: { params: { detail: 'huge is none of default, small, large' } } },
  ])
})

test('blocks of calls are calls, wherever the agent cuts them, and thoughts are thoughts', async () => {
  await using acp = await openAcp()
  const events = await acp.ask(say('calls'))
  expect(textOf(events)).toBe('Two at once. ')
  expect(events.filter(({ type }) => type === 'call')).toEqual([
    { type: 'call', id: expect.any(String), name: 'terminal', args: '{"path":"a"}' },
    { type: 'call', id: expect.any(String), name: 'read_file', args: '{"path":"a"}' },
  ])
  expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'tool-calls' })
  expect(textOf(await acp.ask(say('mention')))).toBe('A block like <tool_call>{"name": "nobody"}</tool_call> and <tool_c')
  expect(await acp.ask(say('think'))).toMatchObject([{ type: 'reasoning', delta: 'Let me see.' }, { type: 'text', delta: 'I see.' }, {}])
})

test('the agent gets no rights, no files and no secrets, and works in an empty folder', async () => {
  await using acp = await openAcp()
  expect(textOf(await acp.ask(say('rights')))).toMatch(/^cancelled; .*not offered here/)
  const { cwd, names } = JSON.parse(textOf(await acp.ask(say('surroundings'))))
  expect(cwd).toMatch(/agent-acp-/)
  expect(names.sort()).toEqual(['HOME', 'PATH'])
})

test('images go along', async () => {
  await using acp = await openAcp()
  const parts = [{ type: 'text', text: 'images' } as const, { type: 'image', url: 'data:image/png;base64,AAAA' } as const]
  expect(textOf(await acp.ask({ ...say(''), messages: [{ role: 'user', parts }] }))).toBe('image/png AAAA')
})

test('one that is logged out says what to do', async () => {
  await using acp = await openAcp({ acp: { ...testAgent, args: [...testAgent.args, 'logged-out'], login: 'run it once' } })
  expect(await acp.ask(say('hello'))).toMatchObject([
    {
      type: 'failed',
      class: 'auth',
      error: { code: 'MODEL_AUTH', params: { detail: expect.stringMatching(/Authentication required.*; run it once$/) } },
    },
  ])
})

test('an agent that ends is told with its last words, and starts again with the next request', async () => {
  await using acp = await openAcp()
  expect(await acp.ask(say('die'))).toMatchObject([
    { type: 'failed', class: 'disconnected', error: { params: { detail: expect.stringMatching(/has ended with 3: out of memory$/) } } },
  ])
  expect(textOf(await acp.ask(say('hello')))).toBe('Hello from small.')
})

test('an answer that is called off ends at once, and others go on', async () => {
  await using acp = await openAcp()
  const over = new AbortController()
  const events: ModelEvent[] = []
  for await (const event of acp.source.stream(say('endless'), callOf(over.signal))) {
    events.push(event)
    if (events.length === 3) over.abort(new Error('enough'))
  }
  expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'INTERRUPTED' } })
  expect(textOf(await acp.ask(say('hello')))).toBe('Hello from small.')
})

test('a program that is not there is named before anything is asked, with what to do', async () => {
  await expect(openAcp({ acp: { command: 'no-such-agent' } })).rejects.toThrow(/no-such-agent is not installed/)
  await expect(openAcp({}, 'acp')).rejects.toThrow(/does not know which program to start/)
  await expect(openAcp({}, 'copilot-acp')).rejects.toThrow(/copilot is not installed.*npm install -g @github\/copilot/)
})

/** Goes on after its agent has ended, and does not hear that it is to end. */
const deaf = 'trap \'\' TERM; echo $$ > "$0"; "$@"; sleep 60'

test('where the plugin ends nothing of an agent is left, not even of one that does not end when it is told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'acp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'pid')
  const acp = await openAcp({ acp: { command: 'sh', args: ['-c', deaf, file, testAgent.command, ...testAgent.args] } })
  expect(textOf(await acp.ask(say('hello')))).toBe('Hello from small.')
  const pid = Number(readFileSync(file, 'utf8'))
  process.kill(pid, 0)
  await acp[Symbol.asyncDispose]()
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})
