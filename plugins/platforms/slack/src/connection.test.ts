import type { InboundMessage } from '@agent/plugin-sdk'
import { afterEach, expect, test } from 'vitest'
import { call, createMessage, openRig, type Rig, type RigOptions } from '../test/slack-rig.ts'
import { defaultBots, openSlackServer, type SlackServer } from '../test/slack-server.ts'
import type { Bot } from '../test/slack-store.ts'
import { labels, press, say } from '../test/slack-world.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

async function start(options: RigOptions = {}, bots?: readonly Bot[]) {
  const server = await openSlackServer(bots ? { bots } : {})
  const rig = openRig(server, options)
  open.push(server, rig)
  return { server, rig }
}

const texts = ({ host }: Rig): readonly string[] => host.received.map(({ text }) => text)
const twoBots: readonly Bot[] = [...defaultBots, { token: 'xoxb-two', team: 'T0TWO', user: 'U2BOT', bot: 'B2BOT' }]

test('a message is acknowledged when the host has it, and not before', async () => {
  const { server, rig } = await start()
  await rig.connect()
  rig.host.answerReceive({ status: 'busy', retryAfterMs: 4000 })
  say(server, { channel: 'D0ANN', text: 'one' })
  await expect.poll(() => texts(rig)).toEqual(['one'])
  expect(server.door.pending()).toHaveLength(1)
  // Slack tells it again after three seconds; the host knows it by its id.
  server.door.redeliver()
  await rig.clock.advance(4000)
  await expect.poll(() => server.door.pending()).toEqual([])
  expect(new Set(rig.host.received.map(({ id }) => id)).size).toBe(1)
})

test('what cannot be read is acknowledged and left', async () => {
  const { server, rig } = await start()
  await rig.connect()
  server.door.deliver('events_api', { event: { type: 'reaction_added' } })
  server.door.deliver('slash_commands', {})
  server.door.deliver('interactive', { type: 'view_closed' })
  server.door.deliver('of_tomorrow', {})
  server.door.raw('{')
  say(server, { channel: 'D0ANN', text: 'after that' })
  await expect.poll(() => texts(rig)).toEqual(['after that'])
  await expect.poll(() => server.door.pending()).toEqual([])
  expect(rig.host.lost).toEqual([])
})

test('messages come in order, though the first waits for a name', async () => {
  const { server, rig } = await start()
  await rig.connect()
  server.breakNext({ type: 'delay' })
  say(server, { channel: 'C0ROOM', text: 'one <@U0BOB>' })
  say(server, { channel: 'D0ANN', text: 'two', user: 'U0BOB' })
  await expect.poll(() => server.called.filter((method) => method === 'users.info').length).toBeGreaterThan(0)
  expect(texts(rig)).toEqual([])
  server.release()
  await expect.poll(() => texts(rig)).toEqual(['one @Bob', 'two'])
  expect(server.called.filter((method) => method === 'users.info')).toHaveLength(2)
})

test('a name that is not told in time is left out', async () => {
  const { server, rig } = await start()
  await rig.connect()
  server.breakNext({ type: 'half-open' })
  say(server, { channel: 'D0ANN', text: 'one' })
  await expect.poll(() => rig.clock.sleeping()).toBeGreaterThan(1)
  await rig.clock.advance(1500)
  await expect.poll(() => rig.host.received[0]?.sender).toEqual({ id: 'U0ANN', isBot: false })
})

test('a socket that Slack renews is replaced without being lost', async () => {
  const { server, rig } = await start()
  await rig.connect()
  await rig.clock.advance(10_000)
  const old = server.door.newest()
  server.door.disconnect('refresh_requested')
  server.door.disconnect('refresh_requested')
  await expect.poll(() => server.door.sockets() === 1 && server.door.newest() !== old).toBe(true)
  say(server, { channel: 'D0ANN', text: 'on the new one' })
  await expect.poll(() => texts(rig)).toEqual(['on the new one'])
  expect(rig.host.lost).toEqual([])
  expect(server.called.filter((method) => method === 'apps.connections.open')).toHaveLength(2)
})

test.each<[string, string, number, (server: SlackServer) => void]>([
  ['Socket Mode is switched off', 'PLATFORM_AUTH', 60_000, (server) => server.door.disconnect('link_disabled')],
  ['a reason of tomorrow', 'PLATFORM_LOST', 60_000, (server) => server.door.disconnect('too_many_websockets')],
  ['a renewal at once', 'PLATFORM_LOST', 0, (server) => server.door.disconnect('warning')],
  ['a socket that is closed', 'PLATFORM_LOST', 60_000, (server) => server.door.newest()?.close(1001)],
  ['a socket that breaks', 'PLATFORM_LOST', 60_000, (server) => server.cut()],
])('%s ends the connection with %s, once', async (_what, code, after, end) => {
  const { server, rig } = await start()
  const connection = await rig.connect()
  await rig.clock.advance(after % 30_000 === 0 ? Math.min(after, 29_000) : after)
  end(server)
  await expect.poll(() => rig.host.lost.map((error) => error.code)).toEqual([code])
  await expect(connection.send?.(createMessage('late'), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  await connection.close(call)
  expect(rig.host.lost).toHaveLength(1)
})

test('a renewal that fails ends the connection', async () => {
  const { server, rig } = await start()
  await rig.connect()
  await rig.clock.advance(20_000)
  server.refuseNext('apps.connections.open', 'internal_error')
  server.door.disconnect('warning')
  await expect.poll(() => rig.host.lost.map(({ code }) => code)).toEqual(['PLATFORM_UNREACHABLE'])
})

test('a socket on which nothing comes any more is given up', async () => {
  const { server, rig } = await start()
  const connection = await rig.connect()
  const heard = await connection.lastHeard(call)
  server.door.newest()?.halfOpen()
  await rig.clock.advance(30_000)
  expect(rig.host.lost).toEqual([])
  await rig.clock.advance(30_000)
  await expect.poll(() => rig.host.lost).toMatchObject([{ code: 'PLATFORM_LOST' }])
  expect(await connection.lastHeard(call)).toBe(heard)
})

test.each<[string, Record<string, string>, string, (server: SlackServer) => void]>([
  ['a bot token that is refused', { SLACK_BOT_TOKEN: 'xoxb-wrong' }, 'PLATFORM_AUTH', () => undefined],
  ['one of two bot tokens that is refused', { SLACK_BOT_TOKEN: 'xoxb-right,xoxb-wrong' }, 'PLATFORM_AUTH', () => undefined],
  ['an app token that is refused', { SLACK_APP_TOKEN: 'xapp-wrong' }, 'PLATFORM_AUTH', () => undefined],
  ['an app token without connections:write', {}, 'PLATFORM_AUTH', (server) => server.refuseNext('apps.connections.open', 'missing_scope')],
  ['trouble at Slack', {}, 'PLATFORM_UNREACHABLE', (server) => server.refuseNext('auth.test', 'internal_error')],
  ['no HTTP', {}, 'PLATFORM_UNREACHABLE', (server) => server.breakNext({ type: 'garbage' })],
])('%s: %j refuses to connect with %s', async (_what, secrets, code, prepare) => {
  const { server, rig } = await start({ secrets })
  prepare(server)
  const refusal = await rig.connect().catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code })
  expect(rig.host.lost).toEqual([])
  expect(server.door.sockets()).toBe(0)
})

test('a server that wants us to wait is not asked before', async () => {
  const { server, rig } = await start()
  server.refuseNext('auth.test', 'ratelimited', 429, { 'Retry-After': '30' })
  await expect(rig.connect()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE', retryAfterMs: 30_000 })
})

test('a socket without a greeting does not connect', async () => {
  const { server, rig } = await start()
  server.door.muteHello()
  const connecting = rig.connect().catch((error: unknown) => error)
  await expect.poll(() => server.door.sockets()).toBe(1)
  await expect.poll(() => rig.clock.sleeping()).toBeGreaterThan(1)
  await rig.clock.advance(10_000)
  expect(await connecting).toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  await expect.poll(() => server.door.sockets()).toBe(0)
})

test('each workspace is answered with its own token', async () => {
  const { server, rig } = await start({}, twoBots)
  const connection = await rig.connect()
  say(server, { channel: 'C0ROOM', text: 'hello <@U2BOT>', more: { team: 'T0TWO' } })
  server.door.deliver('events_api', {
    team_id: 'T0TWO',
    event: { type: 'app_mention', channel: 'C0ROOM', user: 'U0ANN', text: '<@U2BOT> here', ts: '1700000099.000100' },
  })
  await expect.poll(() => texts(rig).at(-1)).toBe('here')
  const { account, addressed } = rig.host.received.at(-1) as InboundMessage
  expect([account, addressed]).toEqual(['T0TWO', true])
  expect(rig.host.received[0]).toMatchObject({ account: 'T0ONE', addressed: false })
  await connection.send?.(createMessage('for two', { account }), call)
  await connection.send?.(createMessage('where it was heard last', { account: '' }), call)
  expect(server.store.messages.slice(-2).map(({ user }) => user)).toEqual(['U2BOT', 'U2BOT'])
})

test('who is late or may not press is told alone, and the buttons stay for the others', async () => {
  const { server, rig } = await start()
  const connection = await rig.connect()
  await connection.send?.(
    createMessage('May I <do> it?', {
      buttons: [
        { id: 'a:0', label: 'Allow' },
        { id: 'a:1', label: 'Deny', style: 'danger' },
      ],
    }),
    call,
  )
  rig.host.answerPress({ status: 'refused', text: 'Not you.' }, { status: 'late', text: 'Too late.' })
  press(server, 'Allow', 'U0BOB')
  await expect.poll(() => server.store.ephemeral).toEqual([{ user: 'U0BOB', text: 'Not you.' }])
  expect(labels(server)).toEqual(['Allow', 'Deny'])
  press(server, 'Deny')
  await expect.poll(() => labels(server)).toEqual([])
  expect(server.store.messages.at(-1)?.blocks?.map(({ type }) => type)).toEqual(['section'])
  expect(server.store.ephemeral.at(-1)).toEqual({ user: 'U0ANN', text: 'Too late.' })
  expect(rig.host.pressed.map(({ button, sender }) => [button, sender.id])).toEqual([
    ['a:0', 'U0BOB'],
    ['a:1', 'U0ANN'],
  ])
})

test.each([
  ['D0ANN', undefined, { id: 'D0ANN', kind: 'dm' }],
  ['C0ROOM', undefined, { id: 'C0ROOM', kind: 'channel' }],
  ['C0ROOM', '1700000000.000900', { id: 'C0ROOM/1700000000.000900', kind: 'thread', parent: 'C0ROOM' }],
])('a button in %s below %s is pressed there, also when others have answered the question', async (channel, thread, conversation) => {
  const { server, rig } = await start()
  const connection = await rig.connect()
  const buttons = [{ id: 'a:0', label: 'Allow' }]
  await connection.send?.(createMessage('May I?', { buttons, conversation: thread ? `${channel}/${thread}` : channel }), call)
  const { ts } = server.store.messages.at(-1) ?? {}
  press(server, 'Allow', 'U0ANN', thread ?? ts)
  await expect.poll(() => rig.host.pressed[0]?.conversation).toEqual(conversation)
})

test('the answer to a question stands where its buttons were', async () => {
  const { server, rig } = await start()
  const connection = await rig.connect()
  await connection.send?.(createMessage('May I?', { buttons: [{ id: 'a:0', label: 'Allow' }] }), call)
  rig.host.answerPress({ status: 'taken', text: 'Allowed by <Ann>.' })
  press(server, 'Allow')
  await expect
    .poll(() => server.store.messages.at(-1)?.blocks)
    .toEqual([
      { type: 'section', text: { type: 'mrkdwn', text: 'May I?' } },
      { type: 'context', elements: [{ type: 'mrkdwn', text: 'Allowed by &lt;Ann&gt;.' }] },
    ])
  await expect.poll(() => server.door.pending()).toEqual([])
})

test('leaving is not being lost, and leaves no message without its receipt', async () => {
  const { server, rig } = await start()
  const connection = await rig.connect()
  const sending = connection.send?.(createMessage('last words'), call)
  await connection.close(call)
  await connection.close(call)
  expect(await sending).toMatchObject({ status: 'sent' })
  expect(rig.host.lost).toEqual([])
  await expect.poll(() => server.door.sockets()).toBe(0)
  expect(rig.clock.sleeping()).toBe(0)
})
