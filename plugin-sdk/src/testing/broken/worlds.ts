import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import type { ModelRequest } from '../../contract/model.ts'
import type { PlatformWorld } from '../contract/platform-world.ts'
import type { ProviderWorld } from '../contract/provider.ts'
import type { ToolsetWorld } from '../contract/toolset.ts'

/** The server of `sound-platform.ts` and the people on it. */
export async function openMailboxWorld(): Promise<PlatformWorld> {
  const sockets = new Set<Socket>()
  const sent: string[] = []
  let said = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.trim().split('\n')) answer(socket, line)
    })
  })
  const answer = (socket: Socket, line: string): void => {
    if (line === 'AUTH token-of-silence') return
    if (line.startsWith('AUTH')) socket.write(line === 'AUTH right-token' ? 'OK\n' : 'NO\n')
    else if (line.startsWith('SAY|')) socket.write(`DONE|${sent.push(line.slice(4).replaceAll('\\n', '\n'))}\n`)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const config = { port: (server.address() as AddressInfo).port }
  return {
    config,
    secrets: { MAILBOX_TOKEN: 'right-token' },
    account: 'bot',
    conversation: 'room',
    refused: { config, secrets: { MAILBOX_TOKEN: 'wrong-token' } },
    silent: { config, secrets: { MAILBOX_TOKEN: 'token-of-silence' } },
    sent: () => sent,
    receiveOne: async (text) => {
      said += 1
      for (const socket of sockets) socket.write(`MSG|${said}|${text}\n`)
    },
    cut: async () => {
      for (const socket of sockets) socket.destroy()
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export async function openParrotWorld(): Promise<ProviderWorld> {
  const tools = ['one', 'two'].map((name) => ({ name, description: name, parameters: { type: 'object' } }))
  const request = (model: string): ModelRequest => ({
    model,
    tools,
    system: '',
    session: 'ses_1',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
  })
  return {
    config: {},
    text: request('text'),
    calls: request('calls'),
    failing: request('failing'),
    endless: request('endless'),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

export async function openBoxWorld(): Promise<ToolsetWorld> {
  return {
    config: {},
    workspace: '/nonexistent',
    good: [{ tool: 'put', args: { text: 'apple' } }],
    failing: { tool: 'put', args: {} },
    hanging: { tool: 'wait', args: {} },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
