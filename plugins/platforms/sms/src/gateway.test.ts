// @module-tag server
import { expect } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { findFreePort } from '../../../../test/support/free-port.ts'
import { openPlatformGateway } from '../../../../test/support/gateways/platform-gateway.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { numberSid, openTwilioServer } from '../test/twilio-server.ts'
import { config } from './config.ts'

const accountSid = numberSid('AC', 1)
const [agent, ann] = ['+15550001111', '+15550002222']
const webhookUrl = 'https://agent.example.org/webhooks/twilio'
const bounded = { timeout: 20_000, interval: 20 }

proves(
  ['auth.messaging.sms', 'env.sms', 'event.inbound.sms', 'event.inbound.sms-echo', 'limit.sms-chunk'],
  'a telephone talks to the agent: signed forms in, Basic auth out, long answers in parts, its own number unheard',
  async () => {
    await using twilio = await openTwilioServer({ accountSid, authToken: 'token-of-the-account', webhookUrl })
    using home = openTestHome()
    const port = await findFreePort()
    const extra = config.parse({ base_url: twilio.url })
    home.write('config.yaml', JSON.stringify({ platforms: { sms: { enabled: true, extra } }, gateway: { http: { port } } }))
    await using gateway = await openPlatformGateway(home, {
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: 'token-of-the-account',
      TWILIO_PHONE_NUMBER: agent,
      SMS_WEBHOOK_URL: webhookUrl,
      SMS_ALLOWED_USERS: `${ann}, ${agent}`,
    })
    await expect.poll(() => gateway.state('sms'), bounded).toBe('connected')
    const url = `http://127.0.0.1:${port}/webhooks/twilio`
    const form = { AccountSid: accountSid, To: agent, NumMedia: '0' }
    const echo = { ...form, MessageSid: numberSid('SM', 1), From: agent, Body: 'note my own words' }
    expect(await twilio.call(url, { ...echo, From: ann }, { token: 'another-token' })).toMatchObject({ status: 401 })
    expect(await twilio.call(url, echo)).toMatchObject({ status: 200 })
    const asked = { ...form, MessageSid: numberSid('SM', 2), From: ann, Body: 'stream 500 tokens' }
    expect(await twilio.call(url, asked)).toMatchObject({ status: 200 })
    await expect.poll(() => twilio.messages.map(({ body }) => body).join(' '), bounded).toMatch(/offline-500$/)
    const bodies = twilio.messages.map(({ body }) => body)
    expect(bodies.length).toBeGreaterThan(1)
    for (const body of bodies) expect(body.length).toBeLessThanOrEqual(1600)
    expect(bodies.join(' ')).toBe(Array.from({ length: 500 }, (_, index) => `offline-${index + 1}`).join(' '))
    expect(twilio.messages.every(({ to, from }) => to === ann && from === agent)).toBe(true)
  },
)
