import type { Disturbance, PlatformCrowd } from '@agent/plugin-sdk/testing'
import type { Config } from '../src/config.ts'
import { parseLine } from '../src/wire.ts'
import { openIrcServer } from './irc-server.ts'

const nick = 'agent'

/** People who write to the bot in queries. What is said while it is away reaches nobody. */
export async function openCrowd(): Promise<PlatformCrowd> {
  // Nobody waits for its pace here, so that it may throw nobody out either.
  const server = await openIrcServer({ threshold: Number.POSITIVE_INFINITY })
  const config: Config = { port: server.port, nickname: nick, channels: [], use_tls: false, line_delay_ms: 0 }
  const acts: Readonly<Partial<Record<Disturbance, () => void>>> = { cut: () => server.cut() }
  return {
    config,
    secrets: { IRC_SERVER: '127.0.0.1' },
    say: (person, text) => server.say(`person${person}`, nick, text),
    heard: (person) =>
      server.relayed.flatMap((line) => {
        const [to = '', text = ''] = parseLine(line)?.params ?? []
        return to === `person${person}` ? [text] : []
      }),
    connections: () => server.lines.filter((line) => line.startsWith('NICK ')).length,
    disturb: (what) => {
      acts[what]?.()
      return acts[what] !== undefined
    },
    calm: () => undefined,
    [Symbol.asyncDispose]: () => server.close(),
  }
}
