import type { PlatformLane } from '../../../../test/support/gateways/platform-lanes.ts'
import { openIrcPerson } from './irc-person.ts'
import { ngircdLacks, openNgircd } from './ngircd.ts'

const room = '#room'
const nick = 'agent'

export const lacks: string | undefined = ngircdLacks

/** A channel of a real server. */
export async function openLane(): Promise<PlatformLane> {
  const server = await openNgircd()
  const ann = await openIrcPerson(server.port, 'ann', [room])
  return {
    platform: 'irc',
    banner: server.banner,
    config: { channels: [room], line_delay_ms: 20 },
    environment: { IRC_SERVER: '127.0.0.1', IRC_PORT: String(server.port), IRC_USE_TLS: 'false' },
    conversation: room,
    connections: () => ann.joins(nick),
    say: (text) => ann.say(room, `${nick}: ${text}`),
    heard: () => ann.heard.filter(({ from }) => from === nick).map(({ text }) => text),
    async [Symbol.asyncDispose]() {
      await ann[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
