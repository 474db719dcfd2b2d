import { expect, test } from 'vitest'
import { numberSid, openTwilioServer } from './twilio-server.ts'

const accountSid = numberSid('AC', 1)
const right = `Basic ${Buffer.from(`${accountSid}:token`).toString('base64')}`

test('the fake refuses what Twilio refuses', async () => {
  await using server = await openTwilioServer({ accountSid, authToken: 'token', webhookUrl: 'https://example.org' })
  const account = `${server.url}/2010-04-01/Accounts/${accountSid}`
  const send = async (form: Record<string, string>, authorization = right): Promise<unknown> => {
    const response = await fetch(`${account}/Messages.json`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams(form),
    })
    return ((await response.json()) as { code?: number }).code ?? response.status
  }
  const good = { To: '+15550002222', From: '+15550001111', Body: 'Hi' }
  expect(await send(good)).toBe(201)
  expect(await send(good, 'Basic x')).toBe(20003)
  expect(await send({ ...good, To: '0555' })).toBe(21211)
  expect(await send({ ...good, From: 'agent' })).toBe(21212)
  expect(await send({ ...good, Body: '' })).toBe(21602)
  expect(await send({ ...good, Body: 'x'.repeat(1601) })).toBe(21617)
  expect((await fetch(account, { headers: { authorization: right } })).status).toBe(404)
  expect((await fetch(server.keepFile(Buffer.from('x'), 'image/png').replace('https://api.twilio.com', server.url))).status).toBe(401)
  expect(server.messages).toHaveLength(1)
})
