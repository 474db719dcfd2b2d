import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ModelRequest } from '@agent/plugin-sdk'
import type { ProviderWorld } from '@agent/plugin-sdk/testing'
import { configOf } from './trial.ts'

const say = (text: string): ModelRequest => ({
  model: 'acme/small',
  system: 'Be kind.',
  session: 'ses_1',
  messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
  tools: ['terminal', 'read_file'].map((name) => ({ name, description: name, parameters: { type: 'object' } })),
})

const frame = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'small', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`

const end = (reason: string): string => `${frame({}, { finish_reason: reason })}data: [DONE]\n\n`

const calls = ['terminal', 'read_file'].map((name, index) => ({
  ...{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '{"path":"a"}' } },
}))

const answers: Readonly<Record<string, string>> = {
  hello: frame({ content: 'Hello.' }) + end('stop'),
  calls: frame({ tool_calls: calls }) + end('tool_calls'),
  endless: frame({ content: 'And ' }),
}

/** A small service of the protocol that the package speaks. */
export async function openWorld(): Promise<ProviderWorld> {
  const server = createServer(async (request, reply) => {
    const body = JSON.parse(await text(request))
    const wish: string = body.messages.at(-1).content
    const answer = answers[wish]
    if (answer === undefined) return void reply.writeHead(500).end('{"error":{"message":"broken"}}')
    reply.writeHead(200, { 'content-type': 'text/event-stream' }).write(answer)
    if (wish !== 'endless') reply.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    ...{ config: configOf('openai-chat', url), secrets: { AI_SDK_API_KEY: 'key-0123456789' } },
    ...{ text: say('hello'), calls: say('calls'), failing: say('fail'), endless: say('endless') },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
