import type { Disturbance, PlatformCrowd } from '@agent/plugin-sdk/testing'
import type { Config } from '../src/config.ts'
import { isMark } from '../src/mark.ts'
import { openNtfyServer } from './ntfy-server.ts'
import { troublesOf } from './troubles.ts'

const topic = 'agent'

/** Everybody who writes on a topic is one person to the agent: this crowd has one conversation. */
export async function openCrowd(): Promise<PlatformCrowd> {
  // More than one visitor may say on ntfy's own limits; its owner has lifted them for the agent.
  const server = await openNtfyServer({ limited: false })
  const config: Config = { server_url: server.url }
  const acts: Readonly<Partial<Record<Disturbance, () => void>>> = {
    cut: () => {
      server.calm()
      server.cut()
    },
    'half-open': () => server.halfOpen(),
    ...troublesOf(server),
  }
  return {
    config,
    secrets: { NTFY_TOPIC: topic },
    people: 1,
    say: (_, text) => void server.say(topic, text),
    heard: () => server.messages.filter(({ tags }) => tags?.some(isMark)).map(({ message = '' }) => message),
    connections: () => server.requests.filter((line) => line.startsWith(`GET /${topic}/json`) && !line.includes('poll=1')).length,
    disturb: (what) => {
      acts[what]?.()
      return acts[what] !== undefined
    },
    calm: () => {
      server.calm()
      server.cut()
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}
