// @module-tag process

import { createSystemClock } from '@agent/plugin-sdk/testing'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, test } from 'vitest'
import { addTalk, openTalkGateway } from '../../../../../test/support/gateways/talk-gateway.ts'
import { program, startAgent } from '../../../../../test/support/run-agent.ts'
import { openTestHome, type TestHome } from '../../../../../test/support/test-home.ts'

interface Beneficiary extends AsyncDisposable {
  readonly client: Client
  /** What a tool says, read as JSON where it is some. */
  ask(name: string, args?: Record<string, unknown>): Promise<unknown>
}

/** The program as a client starts it. */
async function serve(home: TestHome, ...words: string[]): Promise<Beneficiary> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const env = Object.fromEntries(Object.entries(home.environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  const args = [program, 'mcp', 'serve', ...words]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: home.work, stderr: 'ignore' }))
  return {
    client,
    async ask(name, args = {}) {
      const { content, isError } = await client.callTool({ name, arguments: args })
      const [first] = content as readonly { readonly text: string }[]
      return isError === true ? first?.text : JSON.parse(first?.text ?? '')
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

test('conversations are listed and read, a message goes out by the gateway, and a question is answered in the name of the owner', async () => {
  using home = openTestHome()
  addTalk(home)
  await using gateway = await openTalkGateway(home, createSystemClock())
  await gateway.say('1', 'stream 2 tokens')
  expect(await gateway.answer()).toMatch(/offline-2$/)
  await using served = await serve(home, '--answer')
  expect(served.client.getInstructions()).toContain('approvals_answer')
  const { tools } = await served.client.listTools()
  expect(tools.map(({ name, annotations }) => `${name} ${annotations?.readOnlyHint}`)).toEqual([
    ...['conversations_list true', 'conversation_read true', 'channels_list true', 'message_send false'],
    ...['approvals_list true', 'approvals_answer false'],
  ])
  const listed = (await served.ask('conversations_list', { source: 'talk' })) as { conversations: [{ id: string }] }
  expect(listed.conversations).toMatchObject([{ source: 'talk', preview: 'stream 2 tokens' }])
  expect(await served.ask('conversation_read', { conversation: listed.conversations[0].id, last: 2 })).toMatchObject({
    messages: [
      { role: 'user', text: expect.stringContaining('stream 2 tokens') },
      { role: 'assistant', text: expect.stringMatching(/offline-2$/) },
    ],
  })
  expect(await served.ask('channels_list')).toEqual({ channels: [{ target: 'talk:ann', kind: 'dm' }] })
  expect(await served.ask('message_send', { target: 'talk:ann', text: 'Tea is ready. MEDIA:/etc/hostname' })).toMatchObject({
    parts: [{ state: 'sent' }],
  })
  expect(await gateway.answer()).toBe('Tea is ready. MEDIA:/etc/hostname')
  await gateway.say('2', 'run rm -rf .git')
  expect(await gateway.answer()).toMatch(/^May I do this\?/)
  const { questions } = (await served.ask('approvals_list')) as { questions: [{ id: string }] }
  expect(questions).toMatchObject([
    { type: 'approval', platform: 'talk', conversation: 'ann', text: expect.stringContaining('rm -rf .git') },
  ])
  const [{ id }] = questions
  expect(await served.ask('approvals_answer', { id, answer: 'always' })).toContain('Here nothing is allowed for always.')
  expect(await served.ask('approvals_answer', { id, answer: 'perhaps' })).toContain('That question has no such answer.')
  expect(await served.ask('approvals_answer', { id, answer: 'deny' })).toEqual({ id, answer: 'deny' })
  expect(await gateway.answer()).toContain('Not allowed')
  expect(await served.ask('approvals_answer', { id, answer: 'deny' })).toContain('That question waits no more.')
})

test('without a word of the owner no question is answered; without a gateway nothing is sent, and bad arguments are named', async () => {
  using home = openTestHome()
  addTalk(home)
  await using served = await serve(home)
  expect(served.client.getInstructions()).not.toContain('approvals_answer')
  expect(await served.ask('approvals_answer', { id: 'x', answer: 'once' })).toBe('There is no tool approvals_answer.')
  expect(await served.ask('message_send', { target: 'talk:ann', text: 'Hello' })).toMatch(/gateway/)
  expect(await served.ask('approvals_list')).toMatch(/gateway/)
  expect(await served.ask('conversations_list', { limit: 0 })).toMatch(/^limit /)
  expect(await served.ask('conversation_read', { conversation: 'nothing' })).toMatch(/nothing/)
})

test('the end of its input ends it, and a line that is no message does too', async () => {
  using home = openTestHome()
  const { child, ended } = startAgent(home, ['mcp', 'serve'])
  child.stdin?.end()
  expect(await ended).toMatchObject({ code: 0, out: '' })
  const other = startAgent(home, ['mcp', 'serve'], { input: 'no json\n' })
  expect(await other.ended).toMatchObject({ code: 0, out: '' })
})
