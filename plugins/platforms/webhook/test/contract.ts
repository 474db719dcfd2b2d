import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import { type Config, config } from '../src/config.ts'
import { createWebhookSender } from './webhook-sender.ts'

/** What the contract suite does with this platform. */
export async function openWorld(): Promise<PlatformWorld> {
  const secret = 'right-secret'
  const sender = createWebhookSender({ secret })
  const settings: Config = config.parse({ rate_limit: 1000, routes: { events: { prompt: '{text}' } } })
  let address = ''
  let said = 0
  return {
    config: settings,
    secrets: { WEBHOOK_SECRET: secret },
    account: 'webhook',
    conversation: 'events/1',
    onListen: (url) => {
      if (url.endsWith('/webhooks')) address = `${url}/events`
    },
    refused: { config: settings },
    receiveOne: async (text) => {
      said += 1
      await sender.deliver(address, { text, said })
    },
    redeliver: async () => void (await sender.redeliver()),
    [Symbol.asyncDispose]: async () => undefined,
  }
}
