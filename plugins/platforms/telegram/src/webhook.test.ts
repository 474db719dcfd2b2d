import type { Connection } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { call, createMessage, openRig, type Rig, type RigOptions } from '../test/rig.ts'
import { webhookPath } from './webhook.ts'

const secret = 'the-right-secret-of-the-bot'
const url = 'https://bot.test/webhooks/telegram'

async function start(options: RigOptions = {}): Promise<{ rig: Rig; connection: Connection; push: typeof push } & AsyncDisposable> {
  const rig = await openRig({ ...options, secrets: { TELEGRAM_WEBHOOK_URL: url, TELEGRAM_WEBHOOK_SECRET: secret } })
  const connection = await rig.connect()
  const push = async (body: unknown, given: string | undefined = secret, init: RequestInit = {}): Promise<number> => {
    const headers = { 'Content-Type': 'application/json', ...(given && { 'X-Telegram-Bot-Api-Secret-Token': given }) }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${rig.host.urls[0]}${webhookPath}`, { method: 'POST', headers, body: text, ...init })
    return response.status
  }
  return { rig, connection, push, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() }
}

const update = (id: number, text: string): object => ({
  update_id: id,
  message: {
    message_id: id,
    date: 1,
    chat: { id: 7, type: 'private', first_name: 'Ann' },
    from: { id: 7, is_bot: false, first_name: 'Ann' },
    text,
  },
})

test('Telegram is told where to push and by which secret we know it', async () => {
  await using world = await start()
  expect(world.rig.telegram.calls()).toEqual(['getMe', 'setWebhook'])
  const asked = JSON.parse(Buffer.from(world.rig.telegram.server.journal[1]?.body ?? '').toString())
  expect(asked).toEqual({
    url,
    secret_token: secret,
    allowed_updates: ['message', 'callback_query'],
    drop_pending_updates: true,
    max_connections: 1,
  })
})

test('what is pushed is handed in, and answers go out as ever', async () => {
  await using world = await start()
  expect(await world.push(update(1, 'hello'))).toBe(200)
  expect(world.rig.texts()).toEqual(['hello'])
  expect(await world.connection.send?.(createMessage('an answer'), call)).toMatchObject({ status: 'sent' })
})

test.each([['a wrong one'], [`${secret}x`], [secret.slice(0, -1)], ['']])(
  'a call with the secret %j is refused before it is read',
  async (given) => {
    await using world = await start()
    expect(await world.push('{ not json', given)).toBe(401)
    expect(await world.push(update(1, 'hello'), given)).toBe(401)
    expect(world.rig.texts()).toEqual([])
  },
)

test('what cannot be read, or says nothing to us, does not come again', async () => {
  await using world = await start()
  const wide = JSON.stringify({ ...update(1, 'wide'), more: Array(300_000).fill(1) })
  for (const body of ['{ not json', '['.repeat(50_000), wide]) expect(await world.push(body)).toBe(200)
  expect(await world.push('{}', secret, { headers: { 'X-Telegram-Bot-Api-Secret-Token': secret, 'Content-Type': 'text/plain' } })).toBe(400)
  expect(await world.push('', secret, { method: 'GET', body: null })).toBe(405)
  expect(await world.push({ update_id: 1, poll: {} })).toBe(200)
  expect(await world.push([])).toBe(200)
  expect(world.rig.texts()).toEqual([])
})

test('what the host has no room for is offered again by Telegram', async () => {
  await using world = await start()
  world.rig.host.answerReceive({ status: 'busy', retryAfterMs: 1500 })
  expect(await world.push(update(1, 'hello'))).toBe(503)
  expect(await world.push(update(1, 'hello'))).toBe(200)
  expect(world.rig.texts()).toEqual(['hello', 'hello'])
})

test('after its end a connection takes nothing', async () => {
  await using world = await start()
  await world.connection.close(call)
  expect(await world.push(update(1, 'hello'))).toBe(503)
  expect(world.rig.texts()).toEqual([])
})

test('Telegram says that nothing waits: that is proof of reception; that something waits is none', async () => {
  await using world = await start()
  const { telegram, clock } = world.rig
  Object.assign(telegram.webhook, { url })
  const at = await world.connection.lastHeard(call)
  await clock.advance(45_000)
  await expect.poll(() => world.connection.lastHeard(call)).toBe(at + 45_000)
  telegram.say('does not arrive')
  await expect.poll(() => clock.sleeping()).toBe(1)
  await clock.advance(45_000)
  await expect.poll(() => world.rig.host.lines.join()).toContain('did not reach us')
  expect(await world.connection.lastHeard(call)).toBe(at + 45_000)
})

test('a webhook that another program changes ends the connection', async () => {
  await using world = await start()
  world.rig.telegram.webhook.url = 'https://elsewhere.test'
  await world.rig.clock.advance(45_000)
  await expect
    .poll(() => world.rig.host.lost)
    .toMatchObject([{ code: 'PLATFORM_LOST', params: { detail: expect.stringContaining('webhook') } }])
})

test('who polls again takes the webhook away first', async () => {
  await using world = await start()
  await using polling = await openRig({ telegram: world.rig.telegram })
  await polling.connect()
  expect(world.rig.telegram.webhook.url).toBe('')
  expect(polling.host.lost).toEqual([])
})
