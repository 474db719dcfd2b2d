import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import { openLineServer } from './line-server.ts'

/** What the contract suite does with this platform: a server, and the people on it. */
export async function openWorld(): Promise<PlatformWorld> {
  const server = await openLineServer('right-token')
  const config = { host: 'localhost', port: server.port, ca: server.ca }
  const secretsWith = (token: string) => ({ SOCKET_SAMPLE_TOKEN: token })
  return {
    config,
    secrets: secretsWith('right-token'),
    account: 'bot-1',
    conversation: 'ann',
    refused: { config, secrets: secretsWith('wrong-token') },
    silent: { config, secrets: secretsWith('silence') },
    sent: () => server.heard,
    receiveOne: async (text) => server.say(text),
    receiveInGroup: async (text, toBot) => server.say(toBot ? `bot-1: ${text}` : text, '#room'),
    redeliver: async () => server.redeliver(),
    loseReceipt: () => void server.disturb('lose-receipt'),
    disturb: (what) => server.disturb(what),
    cut: async () => server.cut(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
