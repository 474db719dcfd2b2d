import { readFileSync } from 'node:fs'
import type { Call, PlatformContext } from '@agent/plugin-sdk'
import { manifestSchema } from '@agent/plugin-sdk'
import { createFakeClock, openTestContext } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { type IrcServer, type IrcServerOptions, openIrcServer } from '../test/irc-server.ts'
import { type Config, config } from './config.ts'
import irc from './connection.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 30_000 }

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** A host, a server and a clock that stands still. */
async function openRig(options: IrcServerOptions = {}, { extra = {}, secrets = {} } = {}) {
  const server = await openIrcServer(options)
  open.push(() => server.close())
  const clock = createFakeClock()
  const values = { port: server.port, use_tls: false, channels: ['#room'], line_delay_ms: 0, ...extra }
  const host = openTestContext({
    manifest,
    contribution: 'irc',
    config: config.parse(values),
    secrets: { IRC_SERVER: '127.0.0.1', ...secrets },
  })
  open.push(() => host.close())
  const effect = (undo: () => void | Promise<void>): void => void open.push(undo)
  const context = { ...host.context, clock, effect } as PlatformContext<Config>
  return { server, clock, host, connect: () => irc.connect(context, call) }
}

const texts = (received: readonly { text: string }[]): readonly string[] => received.map(({ text }) => text)
const heard = (server: IrcServer, pattern: RegExp) => expect.poll(() => server.lines.filter((line) => pattern.test(line)))

test('it introduces itself, identifies and joins', async () => {
  const secrets = { IRC_SERVER_PASSWORD: 'open sesame', IRC_NICKSERV_PASSWORD: 'mine' }
  const { server, connect, host } = await openRig({ password: 'open sesame' }, { extra: { channels: ['#room', '#other'] }, secrets })
  await connect()
  expect(server.lines.slice(0, -1)).toEqual([
    'PASS :open sesame',
    'NICK agent',
    'USER agent 0 * :agent',
    'PRIVMSG NickServ :IDENTIFY mine',
    'JOIN #room',
    'JOIN #other',
  ])
  expect(host.lost).toEqual([])
})

const account = { user: 'our-agent', password: 'p'.repeat(290) }
const saslSecrets = { IRC_SASL_USERNAME: 'our-agent', IRC_SASL_PASSWORD: account.password }

test.each([
  [289, /^AUTHENTICATE \+$/],
  [290, /^AUTHENTICATE \w+=*$/],
])('it logs in by SASL before the welcome, with a password of %d letters', async (length, last) => {
  const password = 'p'.repeat(length)
  const secrets = { ...saslSecrets, IRC_SASL_PASSWORD: password }
  const { server, connect, host } = await openRig({ sasl: { ...account, password } }, { secrets })
  await connect()
  expect(server.lines.filter((line) => !/^(PING|PONG)/.test(line)).map((line) => line.slice(0, 20))).toEqual([
    'CAP LS :302',
    'NICK agent',
    'USER agent 0 * :agen',
    'CAP REQ :sasl',
    'AUTHENTICATE PLAIN',
    expect.stringMatching(/^AUTHENTICATE AG91/),
    expect.stringMatching(last),
    'CAP END',
    'JOIN #room',
  ])
  expect(host.lines.join()).not.toContain('pppp')
})

test.each<[string, IrcServerOptions, string]>([
  [
    'a wrong password',
    { sasl: { ...account, password: 'other' } },
    'SASL authentication failed; IRC_SASL_USERNAME and IRC_SASL_PASSWORD must',
  ],
  ['a server without SASL', {}, 'the server offers no SASL'],
  ['a server that knows nothing of it', { sasl: 'old' }, 'the server offers no SASL'],
])('%s is told, and nobody comes in without the login', async (_what, options, detail) => {
  const { connect, server } = await openRig(options, { secrets: saslSecrets })
  const told = { code: 'PLATFORM_AUTH', params: { platform: 'IRC', detail: expect.stringContaining(detail) } }
  await expect(connect()).rejects.toMatchObject(told)
  expect(server.lines.filter((line) => /^(JOIN|CAP END)/.test(line))).toEqual([])
})

test('a taken nick gets a suffix, is asked for again and identified', async () => {
  const rig = await openRig({ taken: ['AGENT', 'agent_'] }, { secrets: { IRC_NICKSERV_PASSWORD: 'mine' } })
  await rig.connect()
  rig.server.say('ann', '#room', 'agent__: hello')
  await expect.poll(() => rig.host.received[0]).toMatchObject({ text: 'hello', addressed: true, account: 'agent@127.0.0.1' })
  await rig.clock.advance(60_000)
  await heard(rig.server, /^NICK agent$/).toHaveLength(2)
  rig.server.free('agent')
  await rig.clock.advance(30_000)
  rig.server.say('ann', '#room', 'keeps the line alive')
  await expect.poll(() => rig.host.received).toHaveLength(2)
  await rig.clock.advance(30_000)
  await heard(rig.server, /IDENTIFY/).toHaveLength(2)
  rig.server.say('ann', '#room', 'agent: again')
  await expect.poll(() => rig.host.received[2]).toMatchObject({ text: 'again', addressed: true })
})

test('a suffix takes the end of a nick where the server wants it short', async () => {
  const { server, connect } = await openRig({ taken: ['assistant'], longestNick: 9 }, { extra: { nickname: 'assistant' } })
  await connect()
  await heard(server, /^NICK/).toEqual(['NICK assistant', 'NICK assistant_', 'NICK assista__'])
})

test.each([
  ['PLATFORM_AUTH', 'Password incorrect', { password: 'right' }, {}],
  ['PLATFORM_AUTH', 'Erroneous nickname', { longestNick: 3 }, {}],
])('%s: %s', async (code, detail, options, more) => {
  const { connect, host } = await openRig(options, more)
  await expect(connect()).rejects.toMatchObject({ code, params: { platform: 'IRC', detail: expect.stringContaining(detail) } })
  expect(host.lost).toEqual([])
})

test.each([
  ['Access denied: Bad server password', 'PLATFORM_AUTH'],
  ['Trying to reconnect too fast', 'PLATFORM_UNREACHABLE'],
])('the last words "%s" before the welcome mean %s', async (words, code) => {
  const { server, connect } = await openRig({}, { secrets: { IRC_SERVER_PASSWORD: 'silence' } })
  const connecting = connect()
  const refused = expect(connecting).rejects.toMatchObject({ code, params: { detail: words } })
  await heard(server, /^USER/).toHaveLength(1)
  server.raw(`ERROR :${words}\r\n`)
  await refused
})

test('a channel that refuses is logged and the others work', async () => {
  const { connect, host, server } = await openRig({ closed: ['#room'] }, { extra: { channels: ['#room', '#other'] } })
  await connect()
  expect(host.lines.filter((line) => line.includes('"warn"')).map((line) => JSON.parse(line))).toMatchObject([
    { channel: '#room', detail: 'Cannot join channel (+b)' },
  ])
  server.say('ann', '#other', 'agent: hello')
  await expect.poll(() => texts(host.received)).toEqual(['hello'])
})

test('a host that is busy gets each message again, in order, and PING is answered meanwhile', async () => {
  const { connect, host, server, clock } = await openRig()
  await connect()
  host.answerReceive({ status: 'busy', retryAfterMs: 1000 }, { status: 'busy', retryAfterMs: 1000 })
  for (const text of ['one', 'two', 'three']) server.say('ann', 'agent', text)
  server.raw('PING :are-you-there\r\n')
  await heard(server, /^PONG are-you-there$/).toHaveLength(1)
  expect(texts(host.received)).toEqual(['one'])
  await clock.advance(1000)
  expect(texts(host.received)).toEqual(['one', 'one'])
  await clock.advance(1000)
  await expect.poll(() => texts(host.received)).toEqual(['one', 'one', 'one', 'two', 'three'])
  expect(new Set(host.received.map(({ id }) => id)).size).toBe(3)
})

test('a flood while the host is busy loses nothing', async () => {
  const { connect, host, server, clock } = await openRig()
  await connect()
  host.answerReceive({ status: 'busy', retryAfterMs: 1000 })
  const many = Array.from({ length: 5000 }, (_, index) => `message ${index} ${'x'.repeat(300)}`)
  for (const text of many) server.say('ann', 'agent', text)
  await expect.poll(() => host.received).toHaveLength(1)
  await clock.advance(1000)
  await expect.poll(() => host.received.length, { timeout: 10_000 }).toBe(5001)
  expect(texts(host.received).slice(1)).toEqual(many)
})

test('notices and requests between clients are never answered', async () => {
  const { connect, host, server } = await openRig()
  await connect()
  const before = server.lines.length
  server.raw(':ann!a@h NOTICE agent :hi\r\n:ann!a@h PRIVMSG agent :\u0001VERSION\u0001\r\n:NickServ!n@s PRIVMSG agent :hi\r\nnonsense\r\n')
  server.say('ann', 'agent', 'over')
  await expect.poll(() => texts(host.received)).toEqual(['over'])
  expect(server.lines).toHaveLength(before)
})

test('a quiet server is asked for a sign of life, and lastHeard stands still where it gives none', async () => {
  const { connect, host, server, clock } = await openRig()
  const connection = await connect()
  const at = await connection.lastHeard(call)
  await clock.advance(60_000)
  await heard(server, /^PING still-there$/).toHaveLength(1)
  await expect.poll(() => connection.lastHeard(call)).toBe(at + 60_000)
  server.mute()
  await clock.advance(120_000)
  await heard(server, /^PING still-there$/).toHaveLength(6)
  expect(await connection.lastHeard(call)).toBe(at + 60_000)
  expect(host.lost).toEqual([])
  await connection.close(call)
  expect(clock.sleeping()).toBe(0)
})

test('what the server says at the end is told', async () => {
  const { connect, host, server } = await openRig()
  await connect()
  server.raw('ERROR :Closing Link: agent (Excess Flood)\r\n')
  await expect.poll(() => host.lost).toMatchObject([{ code: 'PLATFORM_LOST', params: { detail: 'Closing Link: agent (Excess Flood)' } }])
})

test('closing leaves no message without its receipt', async () => {
  const { connect, server } = await openRig()
  const connection = await connect()
  const message = { key: 'k', account: '', conversation: '#room', text: 'last words', part: { index: 0, total: 1 } }
  const sending = connection.send?.(message, call)
  await heard(server, /last words/).toHaveLength(1)
  await connection.close(call)
  expect(await sending).toMatchObject({ status: 'sent' })
  expect(server.lines.at(-1)).toBe('QUIT Bye')
})

test('it leaves politely, once, and is not lost then', async () => {
  const { connect, host, server, clock } = await openRig()
  const connection = await connect()
  await connection.close(call)
  await connection.close(call)
  expect(server.lines.filter((line) => line.startsWith('QUIT'))).toEqual(['QUIT Bye'])
  expect(host.lost).toEqual([])
  expect(clock.sleeping()).toBe(0)
})
