import type { Disturbance, PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config } from './config.ts'
import { openCaller } from './testing/caller.ts'
import { numberSid, openTwilioServer } from './testing/twilio-server.ts'

const accountSid = numberSid('AC', 1)
const agent = '+15550001111'
const webhookUrl = 'https://agent.example.org/webhooks/twilio'
const numberOf = (person: number): string => `+1555100${String(person).padStart(4, '0')}`

/** Many people with telephones; what they write is offered until it is taken. */
export async function openCrowd(): Promise<PlatformCrowd> {
  const server = await openTwilioServer({ accountSid, authToken: 'token-of-the-account', webhookUrl })
  const caller = openCaller('/webhooks/twilio', async (url, form) => (await server.call(url, form)).status === 200)
  let count = 0
  let last: Readonly<Record<string, string>> | undefined
  const acts: Readonly<Partial<Record<Disturbance, () => void>>> = {
    limit: () =>
      server.breakNext({
        type: 'status',
        status: 429,
        headers: { 'Retry-After': '1' },
        body: '{"code":20429,"message":"Too Many Requests"}',
      }),
    error: () => server.breakNext({ type: 'status', status: 500 }),
    garbage: () => server.breakNext({ type: 'status', status: 200, body: '<html>' }),
    'lose-receipt': () => server.breakNext({ type: 'lose-answer' }),
    repeat: () => last && caller.offer(last),
  }
  return {
    config: config.parse({ base_url: server.url }),
    secrets: {
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: 'token-of-the-account',
      TWILIO_PHONE_NUMBER: agent,
      SMS_WEBHOOK_URL: webhookUrl,
    },
    listening: caller.listening,
    say: (person, text) => {
      count += 1
      last = { MessageSid: numberSid('SM', count), AccountSid: accountSid, From: numberOf(person), To: agent, Body: text }
      caller.offer(last)
    },
    heard: (person) => server.messages.filter(({ to }) => to === numberOf(person)).map(({ body }) => body),
    isTaken: caller.isDone,
    connections: () => server.requests.filter((line) => line.startsWith('GET ') && line.endsWith('.json')).length,
    disturb: (what) => {
      acts[what]?.()
      return acts[what] !== undefined
    },
    calm: () => server.mend(),
    [Symbol.asyncDispose]: async () => {
      await caller.stop()
      await server[Symbol.asyncDispose]()
    },
  }
}
