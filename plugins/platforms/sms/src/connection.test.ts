import { readFileSync } from 'node:fs'
import { manifestSchema, type OutboundMessage, type State } from '@agent/plugin-sdk'
import { createFakeClock, openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { numberSid, openTwilioServer, type TwilioServer } from '../test/twilio-server.ts'
import { config } from './config.ts'
import sms from './connection.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
const call = () => ({ id: 'call_1', signal: new AbortController().signal, deadline: 60_000 })
const accountSid = numberSid('AC', 1)
const agentNumber = '+15550001111'
const person = '+15550002222'
const webhookUrl = 'https://agent.example.org/webhooks/twilio'
const server = (now = new Date(1_700_000_000_000)) => openTwilioServer({ accountSid, authToken: 'right-token', webhookUrl, now: () => now })

/** The adapter in a host of the tests, whose time stands still. */
async function open(twilio: TwilioServer, variables: Readonly<Record<string, string>> = {}, state?: State) {
  const clock = createFakeClock()
  const secrets = {
    ...{ TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: 'right-token', TWILIO_PHONE_NUMBER: agentNumber, SMS_WEBHOOK_URL: webhookUrl },
    ...variables,
  }
  const settings = config.parse({ base_url: twilio.url })
  const host = openTestContext({ manifest, contribution: 'sms', config: settings, secrets })
  const connection = await sms.connect({ ...host.context, ...(state ? { state } : {}), config: settings, clock }, call())
  const url = `${host.urls[0]}/webhooks/twilio`
  return {
    ...{ host, clock, connection, url },
    write: (more: Readonly<Record<string, string>> = {}, how = {}) =>
      twilio.call(
        url,
        { MessageSid: numberSid('SM', 1), AccountSid: accountSid, From: person, To: agentNumber, Body: 'Hello', ...more },
        how,
      ),
    [Symbol.asyncDispose]: async () => {
      await connection.close(call())
      await host.close()
    },
  }
}

const lost = (key: string) => ({ key, account: agentNumber, conversation: person, firstTriedAt: 0 })
const message: OutboundMessage = { key: 'key-1', account: agentNumber, conversation: person, text: 'Hi', part: { index: 0, total: 1 } }

test('a text message comes in and is answered by nothing yet', async () => {
  await using twilio = await server()
  await using agent = await open(twilio)
  expect(await agent.write()).toEqual({ status: 200, text: '<?xml version="1.0" encoding="UTF-8"?><Response></Response>' })
  expect(agent.host.received).toEqual([
    {
      id: numberSid('SM', 1),
      account: agentNumber,
      conversation: { id: person, kind: 'dm' },
      sender: { id: person, isBot: false },
      text: 'Hello',
      addressed: true,
    },
  ])
})

test('a call that is not of Twilio is refused without a word', async () => {
  await using twilio = await server()
  await using agent = await open(twilio)
  const heard = await agent.connection.lastHeard(call())
  await agent.clock.advance(1000)
  const wrong = [{ token: 'wrong-token' }, { signedUrl: 'https://elsewhere.example.org/webhooks/twilio' }, { signedUrl: agent.url }]
  for (const how of wrong) expect(await agent.write({}, how)).toEqual({ status: 401, text: '' })
  const form = { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'MessageSid=SM1' }
  expect((await fetch(agent.url, form)).status).toBe(401)
  expect((await fetch(agent.url, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })).status).toBe(415)
  expect(
    (await fetch(agent.url, { ...form, body: 'a&'.repeat(50_000), headers: { ...form.headers, 'X-Twilio-Signature': 'x' } })).status,
  ).toBe(413)
  expect((await fetch(agent.url)).status).toBe(405)
  expect(agent.host.received).toEqual([])
  expect(await agent.connection.lastHeard(call())).toBe(heard)
  await agent.write()
  expect(await agent.connection.lastHeard(call())).toBe(heard + 1000)
})

test('without signatures everybody is believed, and the log says so', async () => {
  await using twilio = await server()
  await using agent = await open(twilio, { SMS_WEBHOOK_URL: '', SMS_INSECURE_NO_SIGNATURE: 'true' })
  expect((await agent.write({}, { token: 'wrong-token' })).status).toBe(200)
  expect(agent.host.received).toHaveLength(1)
  expect(agent.host.lines.join()).toContain('believed without a signature')
})

test('what is no message to our number is taken and forgotten', async () => {
  await using twilio = await server()
  await using agent = await open(twilio)
  const others = [
    { From: agentNumber },
    { To: '+15550003333' },
    { AccountSid: numberSid('AC', 2) },
    { Body: ' ' },
    { MessageStatus: 'sent', MessageSid: '' },
  ]
  for (const more of others) expect((await agent.write(more)).status).toBe(200)
  expect(agent.host.received).toEqual([])
})

test('Twilio is told to come again when the host has no room, and the message is not lost', async () => {
  await using twilio = await server()
  await using agent = await open(twilio)
  agent.host.answerReceive({ status: 'busy', retryAfterMs: 20_000 })
  const answer = agent.write()
  await expect.poll(() => agent.host.received.length).toBe(1)
  await agent.clock.advance(10_000)
  expect((await answer).status).toBe(503)
  await agent.clock.advance(10_000)
  await expect.poll(() => agent.host.received.map(({ id }) => id)).toEqual([numberSid('SM', 1), numberSid('SM', 1)])
})

test('a number is not told to the log', async () => {
  await using twilio = await server()
  await using agent = await open(twilio)
  await agent.write()
  await agent.connection.send?.(message, call())
  expect(agent.host.lines.length).toBeGreaterThan(0)
  expect(agent.host.lines.join()).not.toMatch(/5550001111|5550002222/)
})

test('credentials that do not fit are final, a server that is down is not', async () => {
  await using twilio = await server()
  await expect(open(twilio, { TWILIO_AUTH_TOKEN: 'wrong' })).rejects.toMatchObject({
    code: 'PLATFORM_AUTH',
    params: { detail: 'Authenticate (20003)' },
  })
  await expect(open(twilio, { TWILIO_ACCOUNT_SID: numberSid('AC', 9) })).rejects.toMatchObject({ code: 'PLATFORM_AUTH' })
  twilio.setStatus('suspended')
  await expect(open(twilio)).rejects.toMatchObject({ code: 'PLATFORM_AUTH', params: { detail: 'the account is suspended' } })
  for (const body of ['down', '']) {
    twilio.breakNext({ type: 'status', status: 503, body })
    await expect(open(twilio)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  }
  twilio.breakNext({ type: 'status', status: 200, body: '<html>' })
  await expect(open(twilio)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  await twilio[Symbol.asyncDispose]()
  await expect(open(twilio)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('a send says what became of it', async () => {
  await using twilio = await server()
  await using agent = await open(twilio)
  const send = (more: Partial<OutboundMessage> = {}) => agent.connection.send?.({ ...message, ...more }, call())
  expect(await send()).toEqual({ status: 'sent', platformId: numberSid('SM', 1) })
  expect(twilio.messages).toMatchObject([{ to: person, from: agentNumber, body: 'Hi' }])
  expect(await send({ conversation: 'somebody' })).toMatchObject({ status: 'refused' })
  expect(await send({ text: ' ' })).toMatchObject({ status: 'refused' })
  expect(await send({ text: 'x'.repeat(1601) })).toMatchObject({
    status: 'refused',
    error: { params: { detail: expect.stringContaining('21617') } },
  })
  twilio.breakNext({ type: 'status', status: 429, headers: { 'Retry-After': '3' }, body: '{"code":20429,"message":"Too Many Requests"}' })
  expect(await send()).toMatchObject({ status: 'refused', error: { retryAfterMs: 3000 } })
  twilio.breakNext({ type: 'status', status: 502 })
  expect(await send()).toMatchObject({ status: 'unknown' })
  twilio.breakNext({ type: 'lose-answer' })
  expect(await send()).toMatchObject({ status: 'unknown' })
  await agent.connection.close(call())
  await expect(send()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('a message whose receipt was lost is found by its words, but never one that another send accounts for', async () => {
  await using twilio = await server()
  await using agent = await open(twilio)
  const { connection } = agent
  const send = (key: string, more: Partial<OutboundMessage> = {}) => connection.send?.({ ...message, key, ...more }, call())
  await send('key-1')
  twilio.breakNext({ type: 'lose-answer' })
  await send('key-2')
  twilio.breakNext({ type: 'status', status: 502 })
  await send('key-3')
  expect(await connection.findSent?.(lost('key-2'), call())).toEqual({ status: 'sent', platformId: numberSid('SM', 2) })
  expect(await connection.findSent?.(lost('key-3'), call())).toMatchObject({ status: 'unknown' })
  expect(await connection.findSent?.(lost('key-1'), call())).toMatchObject({ status: 'unknown' })
  for (const body of ['down', '{"messages":"none"}']) {
    twilio.breakNext({ type: 'status', status: 500, body })
    expect(await connection.findSent?.(lost('key-3'), call())).toMatchObject({ status: 'unknown' })
  }
})

test('what was begun before a crash is found after it; an older message with the same words is not taken for it', async () => {
  const now = new Date(1_700_000_000_000 - 3_600_000)
  await using twilio = await server(now)
  const first = await open(twilio)
  twilio.breakNext({ type: 'lose-answer' })
  await first.connection.send?.(message, call())
  expect(await first.connection.findSent?.(lost('key-1'), call())).toMatchObject({ status: 'unknown' })
  now.setTime(1_700_000_001_000)
  twilio.breakNext({ type: 'lose-answer' })
  await first.connection.send?.({ ...message, key: 'key-2' }, call())
  await using second = await open(twilio, {}, first.host.context.state)
  expect(await second.connection.findSent?.(lost('key-2'), call())).toEqual({ status: 'sent', platformId: numberSid('SM', 2) })
  await first[Symbol.asyncDispose]()
})

test('a file is fetched from Twilio and from nowhere else', async () => {
  await using twilio = await server()
  await using agent = await open(twilio)
  const known = twilio.keepFile(Buffer.from('picture'), 'image/jpeg')
  const media = {
    NumMedia: '2',
    MediaUrl0: known,
    MediaContentType0: 'image/jpeg',
    MediaUrl1: known.replace(/.$/, 'f'),
    MediaContentType1: 'text/vcard',
  }
  await agent.write({ Body: '', ...media })
  const [picture, gone] = agent.host.received[0]?.media ?? []
  if (!picture || !gone) throw new Error('There are no files.')
  expect([picture.kind, gone.kind]).toEqual(['image', 'document'])
  const read = async (id: string): Promise<string> => {
    const chunks: Uint8Array[] = []
    for await (const chunk of agent.connection.fetchMedia?.({ ...picture, id }, call()) ?? []) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  expect(await read(picture.id)).toBe('picture')
  for (const id of [gone.id, 'https://evil.example.org/', `//evil.example.org${picture.id}`]) {
    await expect(read(id)).rejects.toMatchObject({ code: 'MEDIA_MISSING' })
  }
  twilio.breakNext({ type: 'status', status: 500 })
  await expect(read(picture.id)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})
