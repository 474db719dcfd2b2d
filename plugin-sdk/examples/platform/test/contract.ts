import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import { openChat } from './chat.ts'

/** What the contract suite does with this platform: a chat, and the people on it. */
export async function openWorld(): Promise<PlatformWorld> {
  const chat = await openChat('right-token')
  const config = { server: chat.url }
  const secretsWith = (token: string) => ({ SAMPLE_TOKEN: token })
  return {
    config,
    secrets: secretsWith('right-token'),
    account: 'bot-1',
    conversation: 'room-1',
    refused: { config, secrets: secretsWith('wrong-token') },
    silent: { config, secrets: secretsWith('silence') },
    sent: () => chat.heard,
    receiveOne: async (text) => chat.say(text),
    receiveInGroup: async (text, toBot) => chat.say(text, { room: { id: 'room-2', direct: false }, mentions: toBot ? ['bot-1'] : [] }),
    disturb: (what) => chat.disturb(what),
    cut: async () => chat.hangUp(),
    [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose](),
  }
}
