import { createOffers, type Disturbance, type PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { troublesOf } from './troubles.ts'
import { numberSid, openTwilioServer } from './twilio-server.ts'

const accountSid = numberSid('AC', 1)
const agent = '+15550001111'
const webhookUrl = 'https://agent.example.org/webhooks/twilio'
const numberOf = (person: number): string => `+1555100${String(person).padStart(4, '0')}`

/** Many people with telephones; what they write is offered until it is taken. */
export async function openCrowd(): Promise<PlatformCrowd> {
  const server = await openTwilioServer({ accountSid, authToken: 'token-of-the-account', webhookUrl })
  let agentUrl = ''
  const offers = createOffers<Readonly<Record<string, string>>>(async (form) => {
    const { status } = await server.call(`${agentUrl}/webhooks/twilio`, form)
    return status === 200
  })
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
    secrets: {
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: 'token-of-the-account',
      TWILIO_PHONE_NUMBER: agent,
      SMS_WEBHOOK_URL: webhookUrl,
    },
    listening: (url) => {
      agentUrl = url
    },
    say: (person, text) => {
      count += 1
      const form = { MessageSid: numberSid('SM', count), AccountSid: accountSid, From: numberOf(person), To: agent, Body: text }
      offers.add(person, form)
    },
    heard: (person) => server.messages.filter(({ to }) => to === numberOf(person)).map(({ body }) => body),
    isTaken: offers.isEmpty,
    connections: () => server.requests.filter((line) => line.startsWith('GET ') && line.endsWith('.json')).length,
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
