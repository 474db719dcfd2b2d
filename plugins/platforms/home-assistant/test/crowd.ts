import type { PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { openHomeServer } from './home-server.ts'
import { troublesOf } from './troubles.ts'

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
    ...troublesOf(home),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  }
}
