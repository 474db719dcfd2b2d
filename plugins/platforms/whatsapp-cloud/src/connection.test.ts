import { readFileSync } from 'node:fs'
import { manifestSchema, type OutboundMessage } from '@agent/plugin-sdk'
import { createFakeClock, openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { GraphServer } from '../test/graph-server.ts'
import { openNumber, person, phoneNumberId, secretsWith } from '../test/whatsapp-world.ts'
import { config } from './config.ts'
import whatsappCloud from './connection.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
const call = () => ({ id: 'call_1', signal: new AbortController().signal, deadline: 60_000 })

/** The adapter in a host of the tests, whose time stands still. */
async function open(server: GraphServer, variables: Readonly<Record<string, string>> = {}) {
  const clock = createFakeClock()
  const settings = config.parse({ base_url: server.url })
  const secrets = { ...secretsWith('right-token'), ...variables }
  const host = openTestContext({
    manifest,
    contribution: 'whatsapp-cloud',
    config: settings,
    secrets,
    onListen: (url) => server.listenAt(url),
  })
  const connection = await whatsappCloud.connect({ ...host.context, config: settings, clock }, call())
  return {
    ...{ host, clock, connection, url: `${host.urls[0]}/webhooks/whatsapp-cloud` },
    write: (body: string, more = {}, how = {}) =>
      server.call({ messages: [{ from: person, id: `wamid.${body}`, type: 'text', text: { body }, ...more }] }, how),
    [Symbol.asyncDispose]: async () => {
      await connection.close(call())
      await host.close()
    },
  }
}

const lost = (key: string) => ({ key, account: phoneNumberId, conversation: person, firstTriedAt: 0 })
const message: OutboundMessage = { key: 'key-1', account: phoneNumberId, conversation: person, text: 'Hi', part: { index: 0, total: 1 } }

test('60 messages to one person arrive in order: 45 at once, the others each after its time', async () => {
  let now = 0
  await using server = await openNumber(() => now)
  await using agent = await open(server)
  const texts = Array.from({ length: 60 }, (_, index) => `line ${index}`)
  for (const text of texts) {
    for (;;) {
      const receipt = await agent.connection.send?.({ ...message, key: text, text }, call())
      if (receipt?.status === 'sent') break
      expect(receipt).toMatchObject({ status: 'refused', error: { retryAfterMs: 6000 } })
      now += 6000
    }
  }
  expect(server.messages.map(({ text }) => text?.body)).toEqual(texts)
  expect(now).toBe(15 * 6000)
})

test('the handshake gives the challenge back to who knows the token', async () => {
  await using server = await openNumber()
  await using agent = await open(server)
  const ask = async (query: string) => {
    const response = await fetch(`${agent.url}?${query}`)
    return [response.status, await response.text()]
  }
  expect(await ask('hub.mode=subscribe&hub.verify_token=verify-token&hub.challenge=1158201444')).toEqual([200, '1158201444'])
  expect(await ask('hub.mode=subscribe&hub.verify_token=wrong&hub.challenge=1')).toEqual([403, ''])
  expect(await ask('hub.mode=other&hub.verify_token=verify-token&hub.challenge=1')).toEqual([403, ''])
  expect(await ask('')).toEqual([403, ''])
  await using without = await open(server, { WHATSAPP_CLOUD_VERIFY_TOKEN: '' })
  expect((await fetch(`${without.url}?hub.mode=subscribe&hub.verify_token=&hub.challenge=1`)).status).toBe(403)
})

test.each([
  ['nested without end', JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`)],
  ['of very many values', Array(100_000).fill(1)],
])('a signed call that is %s is dropped and does not come again', async (_what, more) => {
  await using server = await openNumber()
  await using agent = await open(server)
  expect(await agent.write('dropped', { more })).toEqual([200])
  expect(await agent.write('next')).toEqual([200])
  expect(agent.host.received.map(({ text }) => text)).toEqual(['next'])
})

test('only signed calls are believed, and without a secret none', async () => {
  await using server = await openNumber()
  await using agent = await open(server)
  const heard = await agent.connection.lastHeard(call())
  await agent.clock.advance(1000)
  expect(await agent.write('forged', {}, { secret: 'wrong-secret' })).toEqual([401])
  expect((await fetch(agent.url, { method: 'POST', body: '{}' })).status).toBe(401)
  expect((await fetch(agent.url, { method: 'DELETE' })).status).toBe(405)
  expect(await agent.connection.lastHeard(call())).toBe(heard)
  expect(await agent.write('signed')).toEqual([200])
  expect(agent.host.received.map(({ text }) => text)).toEqual(['signed'])
  expect(await agent.connection.lastHeard(call())).toBe(heard + 1000)
  await using without = await open(server, { WHATSAPP_CLOUD_APP_SECRET: '' })
  expect(await without.write('anything')).toEqual([503, 503, 503])
  expect(without.host.received).toEqual([])
})

test('calls about other accounts are taken and forgotten', async () => {
  await using server = await openNumber()
  await using agent = await open(server, { WHATSAPP_CLOUD_WABA_ID: '102290129340398' })
  expect(await agent.write('other account', {}, { wabaId: '1' })).toEqual([200])
  expect(await agent.write('other number', {}, { phoneNumberId: '999999999999999' })).toEqual([200])
  expect(await agent.write('echo', {}, { field: 'smb_message_echoes' })).toEqual([200])
  expect(await agent.write('ours')).toEqual([200])
  expect(agent.host.received.map(({ text }) => text)).toEqual(['ours'])
})

test('Meta is asked to come again when the host has no room, and nothing is lost', async () => {
  await using server = await openNumber()
  await using agent = await open(server)
  agent.host.answerReceive({ status: 'busy', retryAfterMs: 20_000 })
  const answers = agent.write('wait')
  await expect.poll(() => agent.host.received.length).toBe(1)
  await agent.clock.advance(8000)
  // It comes again while the first one still waits for the host.
  await expect.poll(() => server.requests.length).toBeGreaterThan(0)
  await agent.clock.advance(12_000)
  expect((await answers).at(0)).toBe(503)
  await expect.poll(() => agent.host.received.length).toBeGreaterThanOrEqual(2)
  expect(new Set(agent.host.received.map(({ id }) => id)).size).toBe(1)
})

test('a token that is not valid is final, a number that it does not see too, a server that is down is not', async () => {
  await using server = await openNumber()
  await expect(open(server, { WHATSAPP_CLOUD_ACCESS_TOKEN: 'wrong' })).rejects.toMatchObject({ code: 'PLATFORM_AUTH' })
  const other = open(server, { WHATSAPP_CLOUD_PHONE_NUMBER_ID: '999999999999999' })
  await expect(other).rejects.toMatchObject({ code: 'PLATFORM_AUTH', params: { detail: expect.stringContaining('(100)') } })
  await server[Symbol.asyncDispose]()
  await expect(open(server)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('a send says what became of it', async () => {
  await using server = await openNumber()
  await using agent = await open(server)
  const send = (more: Partial<OutboundMessage> = {}) => agent.connection.send?.({ ...message, ...more }, call())
  expect(await send({ replyTo: 'wamid.in1' })).toEqual({ status: 'sent', platformId: 'wamid.out1' })
  expect(server.messages[0]).toMatchObject({ to: person, context: { message_id: 'wamid.in1' }, biz_opaque_callback_data: 'key-1' })
  await send({ conversation: 'US.13491208655302741918' })
  expect(server.messages[1]).toMatchObject({ recipient: 'US.13491208655302741918' })
  expect(await send({ conversation: 'ann' })).toMatchObject({ status: 'refused' })
  expect(await send({ text: ' ' })).toMatchObject({ status: 'refused' })
  server.breakNext({ type: 'error', status: 400, code: 131_047 })
  expect(await send()).toMatchObject({ status: 'refused', error: { params: { detail: expect.stringContaining('24 hours') } } })
  server.breakNext({ type: 'error', status: 400, code: 131_056 })
  expect(await send()).toMatchObject({ status: 'refused', error: { retryAfterMs: 6000 } })
  server.breakNext({ type: 'status', status: 502 })
  expect(await send()).toMatchObject({ status: 'unknown' })
  expect(agent.host.lost).toEqual([])
})

test('a token that runs out ends the connection for good', async () => {
  await using server = await openNumber()
  await using agent = await open(server)
  server.expireToken()
  expect(await agent.connection.send?.(message, call())).toMatchObject({ status: 'refused' })
  expect(agent.host.lost).toMatchObject([{ code: 'PLATFORM_AUTH' }])
  await expect(agent.connection.send?.(message, call())).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('files go out after words that they cannot carry, and a half message is not called sent', async () => {
  await using server = await openNumber()
  await using agent = await open(server)
  const voice = await agent.host.putFile(Buffer.from('sound'), { mime: 'audio/ogg' })
  const picture = await agent.host.putFile(Buffer.from('picture'), { mime: 'image/png', name: 'a.png' })
  const send = (more: Partial<OutboundMessage>) => agent.connection.send?.({ ...message, ...more }, call())
  await send({ media: [{ blob: voice, kind: 'voice' }] })
  await send({
    media: [
      { blob: picture, kind: 'image' },
      { blob: picture, kind: 'document' },
    ],
  })
  expect(server.messages.map(({ type, text, image, document }) => text?.body ?? image?.caption ?? document?.filename ?? type)).toEqual([
    ...['Hi', 'audio'],
    ...['Hi', 'a.png'],
  ])
  expect([...server.files.values()].map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['sound', 'picture', 'picture'])
  server.breakNext({ type: 'status', status: 500 })
  expect(await send({ media: [{ blob: picture, kind: 'image' }] })).toMatchObject({ status: 'refused', error: { retryAfterMs: 5000 } })
  server.breakNext({ type: 'error', status: 400, code: 131_053 })
  expect(await send({ media: [{ blob: picture, kind: 'image' }] })).toMatchObject({ status: 'refused' })
})

test('a message that nobody told of is unknown, one that failed later is refused', async () => {
  await using server = await openNumber()
  await using agent = await open(server)
  const finding = agent.connection.findSent?.(lost('key-9'), call())
  await expect.poll(agent.clock.sleeping).toBe(1)
  await agent.clock.advance(4000)
  expect(await finding).toMatchObject({ status: 'unknown' })
  const errors = [{ code: 131_047, title: 'Re-engagement message' }]
  await server.call({ statuses: [{ id: 'wamid.out7', status: 'failed', biz_opaque_callback_data: 'key-7', errors }] })
  expect(await agent.connection.findSent?.(lost('key-7'), call())).toMatchObject({ status: 'refused' })
  expect(agent.host.received).toEqual([])
  expect(agent.host.lines.join()).toContain('Re-engagement message (131047)')
})

test('typing needs a message below which it is shown', async () => {
  await using server = await openNumber()
  await using agent = await open(server)
  await agent.connection.typing?.(person, call())
  expect(server.typings).toEqual([])
  await agent.write('hello')
  await agent.connection.typing?.(person, call())
  expect(server.typings).toEqual(['wamid.hello'])
  server.breakNext({ type: 'error', status: 400, code: 100 })
  await expect(agent.connection.typing?.(person, call())).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('a late press is told so, and the question is not asked again', async () => {
  await using server = await openNumber()
  await using agent = await open(server)
  const buttons = [{ id: 'ask:0', label: 'Allow' }]
  await agent.connection.send?.({ ...message, text: 'May I?', buttons }, call())
  agent.host.answerPress({ status: 'late', text: 'Too late.' }, { status: 'refused', text: 'Not you.' })
  const press = { type: 'interactive', context: { id: 'wamid.out1' }, interactive: { button_reply: { id: 'ask:0', title: 'Allow' } } }
  expect(await agent.write('press', press)).toEqual([200])
  expect(server.messages.at(-1)).toMatchObject({ type: 'text', text: { body: 'Too late.' } })
  await agent.write('again', press)
  expect(server.messages.at(-1)).toMatchObject({ type: 'interactive', interactive: { body: { text: 'Not you.' } } })
  expect(agent.host.received).toEqual([])
})

test('a file is fetched from where Meta says, and from nobody else', async () => {
  await using server = await openNumber()
  await using agent = await open(server)
  const id = server.keepFile({ bytes: Buffer.from('bytes'), mime: 'image/png', name: '' })
  const read = async (file: string): Promise<string> => {
    const chunks: Uint8Array[] = []
    for await (const chunk of agent.connection.fetchMedia?.({ id: file, kind: 'image', mime: 'image/png' }, call()) ?? [])
      chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  expect(await read(id)).toBe('bytes')
  for (const wrong of ['../me', '999', '']) await expect(read(wrong)).rejects.toMatchObject({ code: 'MEDIA_MISSING' })
  await using other = await openNumber()
  for (const elsewhere of [`${other.url}/lookaside/1`, 'http://lookaside.fbsbx.com/1', 'https://fbsbx.com.example.org/1']) {
    const strayed = server.keepFile({ bytes: Buffer.from('bytes'), mime: 'image/png', name: '', elsewhere })
    await expect(read(strayed)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  }
  expect(other.requests).toEqual([])
})
