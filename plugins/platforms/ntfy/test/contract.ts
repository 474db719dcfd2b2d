import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import type { Config } from '../src/config.ts'
import { isMark } from '../src/mark.ts'
import { openNtfyServer } from './ntfy-server.ts'
import { troublesOf } from './troubles.ts'

/** What the contract suite does with this platform. */
export async function openWorld(): Promise<PlatformWorld> {
  const server = await openNtfyServer({ token: 'tk_right' })
  const config: Config = { server_url: server.url }
  const secretsWith = (token: string, topic = 'agent') => ({ NTFY_TOPIC: topic, NTFY_TOKEN: token })
  return {
    config,
    secrets: secretsWith('tk_right'),
    account: `${server.url.replace('http://', '')}/agent`,
    conversation: 'agent',
    refused: { config, secrets: secretsWith('tk_wrong') },
    silent: { config, secrets: secretsWith('tk_right', 'silence') },
    sent: () => server.messages.filter(({ tags }) => tags?.some(isMark)).map(({ message = '' }) => message),
    receiveOne: async (text) => void server.say('agent', text),
    loseReceipt: () => server.breakNext({ type: 'lose-answer' }),
    disturb: (what) => {
      const act = troublesOf(server)[what]
      act?.()
      return act !== undefined
    },
    cut: async () => server.cut(),
    [Symbol.asyncDispose]: () => server.close(),
  }
}
