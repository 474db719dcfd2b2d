import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { troublesOf } from './troubles.ts'
import { numberSid, openTwilioServer } from './twilio-server.ts'

const accountSid = numberSid('AC', 1)
const agent = '+15550001111'
const person = '+15550002222'
const webhookUrl = 'https://agent.example.org/webhooks/twilio'

/** What the contract suite does with this platform. */
export async function openWorld(): Promise<PlatformWorld> {
  const server = await openTwilioServer({ accountSid, authToken: 'right-token', webhookUrl })
  const silent = await openTwilioServer({ accountSid, authToken: 'right-token', webhookUrl })
  silent.fallSilent()
  const secretsWith = (token: string) => ({
    TWILIO_ACCOUNT_SID: accountSid,
    TWILIO_AUTH_TOKEN: token,
    TWILIO_PHONE_NUMBER: agent,
    SMS_WEBHOOK_URL: webhookUrl,
  })
  let agentUrl = ''
  let last: Record<string, string> = {}
  let count = 0
  const say = async (more: Readonly<Record<string, string>>): Promise<void> => {
    count += 1
    last = { MessageSid: numberSid('SM', count), AccountSid: accountSid, From: person, To: agent, NumMedia: '0', ...more }
    await server.call(agentUrl, last)
  }
  return {
    config: config.parse({ base_url: server.url }),
    secrets: secretsWith('right-token'),
    onListen: (url) => {
      agentUrl = url
    },
    account: agent,
    conversation: person,
    refused: { config: config.parse({ base_url: server.url }), secrets: secretsWith('wrong-token') },
    silent: { config: config.parse({ base_url: silent.url }), secrets: secretsWith('right-token') },
    sent: () => server.messages.map(({ body }) => body),
    receiveOne: (text) => say({ Body: text }),
    redeliver: async () => void (await server.call(agentUrl, last)),
    receiveFile: ({ bytes, mime }) => say({ Body: '', NumMedia: '1', MediaUrl0: server.keepFile(bytes, mime), MediaContentType0: mime }),
    disturb: (what) => {
      const act = troublesOf(server)[what]
      act?.()
      return act !== undefined
    },
    loseReceipt: () => server.breakNext({ type: 'lose-answer' }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([server, silent].map((one) => one[Symbol.asyncDispose]()))
    },
  }
}
