import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import type { Config } from '../src/config.ts'
import { parseLine } from '../src/wire.ts'
import { openIrcServer } from './irc-server.ts'

/** What the contract suite does with this platform. */
export async function openWorld(): Promise<PlatformWorld> {
  const server = await openIrcServer({ password: 'right-password' })
  const config: Config = { port: server.port, nickname: 'agent', channels: ['#room'], use_tls: false, line_delay_ms: 0 }
  const secretsWith = (password: string) => ({
    IRC_SERVER: '127.0.0.1',
    IRC_SERVER_PASSWORD: password,
    IRC_NICKSERV_PASSWORD: 'password-of-the-nick',
  })
  return {
    config,
    secrets: secretsWith('right-password'),
    account: 'agent@127.0.0.1',
    conversation: '#room',
    refused: { config, secrets: secretsWith('wrong-password') },
    silent: { config, secrets: secretsWith('silence') },
    sent: () => server.relayed.map((line) => parseLine(line)?.params[1] ?? ''),
    receiveOne: async (text) => server.say('ann', '#room', `agent: ${text}`),
    receiveInGroup: async (text, toBot) => server.say('ann', '#room', toBot ? `agent: ${text}` : text),
    cut: async () => server.cut(),
    [Symbol.asyncDispose]: () => server.close(),
  }
}
