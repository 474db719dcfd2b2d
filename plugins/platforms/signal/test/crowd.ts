import type { PlatformCrowd } from '@agent/plugin-sdk/testing'
import type { Config } from '../src/config.ts'
import { openSignalDaemon, own } from './signal-daemon.ts'
import { troublesOf } from './troubles.ts'

/** Many people who write to the number of the bot. */
export async function openCrowd(): Promise<PlatformCrowd> {
  const people = Array.from({ length: 20 }, (_, index) => `bbbbbbbb-0000-4000-8000-0000000000${index + 10}`)
  const daemon = await openSignalDaemon({ people, keepsEvents: true })
  const config: Config = { http_url: daemon.url }
  const { disturb, calm } = troublesOf(daemon)
  return {
    config,
    secrets: { SIGNAL_ACCOUNT: own.number },
    people: people.length,
    say: (person, text) => {
      const from = { sourceUuid: people[person], sourceNumber: null, sourceName: `Person ${person}` }
      daemon.say(text, {}, { ...from, serverReceivedTimestamp: Date.now() })
    },
    heard: (person) => daemon.sent.filter(({ to }) => to === people[person]).map(({ text }) => text),
    connections: () => daemon.server.journal.filter(({ url }) => url.startsWith('/api/v1/events')).length,
    disturb: (what) => {
      if (what === 'half-open') daemon.deafen()
      if (what === 'cut') daemon.calm()
      return disturb(what)
    },
    calm: () => {
      daemon.calm()
      calm()
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}
