import { createOffers, type Disturbance, type PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { troublesOf } from './troubles.ts'
import { openNumber, readWords, secretsWith } from './whatsapp-world.ts'

const numberOf = (person: number): string => `1555200${String(person).padStart(4, '0')}`

/** Many people who write to a business number; what they write is offered until it is taken. */
export async function openCrowd(): Promise<PlatformCrowd> {
  const server = await openNumber()
  const offers = createOffers<Readonly<Record<string, unknown>>>(
    async (message) => (await server.call({ messages: [message] })).at(-1) === 200,
  )
  let count = 0
  const acts: Readonly<Partial<Record<Disturbance, () => void>>> = {
    ...troublesOf(server),
    cut: () => {
      server.calm()
      server.cut()
    },
    'half-open': () => server.fallSilent(),
    repeat: offers.repeat,
  }
  return {
    config: config.parse({ base_url: server.url }),
    secrets: secretsWith('right-token'),
    listening: (url) => server.listenAt(`${url}/webhooks/whatsapp-cloud`),
    say: (person, text) => {
      count += 1
      const message = { from: numberOf(person), id: `wamid.in${count}`, timestamp: '1700000000', type: 'text', text: { body: text } }
      offers.add(person, message)
    },
    heard: (person) => server.messages.filter(({ to }) => to === numberOf(person)).map(readWords),
    isTaken: offers.isEmpty,
    connections: () => server.requests.filter((line) => line.startsWith('GET ') && line.includes('verified_name')).length,
    disturb: (what) => {
      acts[what]?.()
      return acts[what] !== undefined
    },
    calm: () => {
      server.calm()
      server.cut()
    },
    [Symbol.asyncDispose]: async () => {
      offers.stop()
      await server[Symbol.asyncDispose]()
    },
  }
}
