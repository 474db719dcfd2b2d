import { createDisturbances, type PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { openHomeServer } from './home-server.ts'

/** A house whose automations talk to the agent: one conversation, and nothing is kept for who is away. */
export async function openCrowd(): Promise<PlatformCrowd> {
  const home = await openHomeServer({ token: 'token-of-the-house' })
  const { server, notifications } = home
  return {
    config: config.parse({}),
    secrets: { HASS_TOKEN: 'token-of-the-house', HASS_URL: server.url },
    people: 1,
    say: (_, text) => home.fire('agent_message', { text }),
    heard: () => [...notifications.values()],
    connections: () => home.logins(),
    ...createDisturbances({
      server,
      isSend: ({ method, url }) => method === 'POST' && url.startsWith('/api/services/'),
      limit: { type: 'status', status: 429, headers: { 'Retry-After': '1' }, body: '429: Too Many Requests' },
    }),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  }
}
