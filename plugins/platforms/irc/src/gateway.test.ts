// @module-tag process
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { openPlatformGateway, type PlatformGateway } from '../../../../test/support/gateways/platform-gateway.ts'
import { needs } from '../../../../test/support/needs.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { type IrcPerson, openIrcPerson } from '../test/irc-person.ts'
import { type Ngircd, ngircdMissing, openNgircd } from '../test/ngircd.ts'

const openRunning = (home: TestHome, variables: Readonly<Record<string, string>>): Promise<PlatformGateway> =>
  openPlatformGateway(home, { IRC_SERVER: '127.0.0.1', IRC_USE_TLS: 'false', IRC_ALLOWED_USERS: 'ann,bob', ...variables })

const tokens = (count: number): string => Array.from({ length: count }, (_, index) => `offline-${index + 1}`).join(' ')
const bounded = { timeout: 25_000, interval: 20 }

describe('a gateway and people on a real ngircd', needs(ngircdMissing), () => {
  let server: Ngircd
  let home: TestHome
  let running: PlatformGateway
  let ann: IrcPerson
  let mallory: IrcPerson

  beforeAll(async () => {
    server = await openNgircd()
    process.stdout.write(`${server.banner}\n`)
    home = openTestHome()
    home.write(
      'config.yaml',
      'display: {busy_input_mode: queue}\nplatforms:\n  irc:\n    extra:\n      channels: ["#closed", "#room"]\n      line_delay_ms: 5\n',
    )
    running = await openRunning(home, { IRC_PORT: String(server.port) })
    ann = await openIrcPerson(server.port, 'Ann', ['#room'])
    mallory = await openIrcPerson(server.port, 'mallory', ['#room'])
  })
  afterAll(async () => {
    await mallory?.[Symbol.asyncDispose]()
    await ann?.[Symbol.asyncDispose]()
    await running?.[Symbol.asyncDispose]()
    home?.[Symbol.dispose]()
    await server?.[Symbol.asyncDispose]()
  })

  test('a conversation of several turns is answered in order', async () => {
    expect(running.state('irc')).toBe('connected')
    for (const count of [2, 3, 4]) ann.say('agent', `stream ${count} tokens`)
    const answers = [2, 3, 4].map(tokens).join(' ')
    await expect.poll(() => ann.text('agent', 'Ann'), bounded).toBe(answers)
    ann.say('agent', 'stream 5 tokens')
    await expect.poll(() => ann.text('agent', 'Ann'), bounded).toBe(`${answers} ${tokens(5)}`)
  })

  test('a channel that refuses is logged and harms nothing', () => {
    expect(home.read('logs/gateway.log')).toMatch(/"channel":"#closed","detail":"Cannot join channel \(\+i\)/)
  })

  test('a channel needs the nick', async () => {
    ann.say('#room', 'stream 9 tokens')
    ann.say('#room', 'Agent: stream 6 tokens')
    await expect.poll(() => mallory.text('agent', '#room'), bounded).toBe(tokens(6))
  })

  proves('auth.messaging.allowlist', 'a person who is not listed gets nothing', async () => {
    const before = ann.text('agent', '#room')
    mallory.say('agent', 'stream 2 tokens')
    mallory.say('#room', 'agent: stream 2 tokens')
    mallory.write('NOTICE agent :stream 2 tokens')
    ann.say('#room', 'agent: stream 7 tokens')
    await expect.poll(() => ann.text('agent', '#room'), bounded).toBe(`${before} ${tokens(7)}`)
    expect(mallory.heard.filter(({ target }) => target === 'mallory')).toEqual([])
  })

  test('a long answer arrives whole, in lines that no server cuts', async () => {
    await using bob = await openIrcPerson(server.port, 'bob')
    bob.say('agent', 'stream 2000 tokens')
    await expect.poll(() => bob.text('agent', 'bob').length, { timeout: 60_000 }).toBeGreaterThanOrEqual(tokens(2000).length)
    expect(bob.text('agent', 'bob')).toBe(tokens(2000))
    expect(bob.heard.length).toBeGreaterThan(40)
    expect(Math.max(...bob.heard.map(({ bytes }) => bytes))).toBeLessThanOrEqual(512)
    expect(Math.max(...bob.heard.map(({ bytes }) => bytes))).toBeGreaterThan(400)
  }, 70_000)

  test('when the server dies and comes back, the agent is there again', async () => {
    await server.kill()
    await expect.poll(() => running.state('irc'), bounded).toBe('retrying PLATFORM_LOST')
    await server.restart()
    await expect.poll(() => running.state('irc'), bounded).toBe('connected')
    await using again = await openIrcPerson(server.port, 'ann', ['#room'])
    again.say('agent', 'stream 3 tokens')
    await expect.poll(() => again.text('agent', 'ann'), bounded).toBe(tokens(3))
    again.say('#room', 'agent, stream 2 tokens')
    await expect.poll(() => again.text('agent', '#room'), bounded).toBe(tokens(2))
  }, 60_000)
})

describe('a real ngircd that refuses', needs(ngircdMissing), () => {
  test('a wrong password is final', async () => {
    await using server = await openNgircd({ password: 'right' })
    using home = openTestHome()
    const port = String(server.port)
    await using running = await openRunning(home, { IRC_PORT: port, IRC_SERVER_PASSWORD: 'wrong' })
    expect(running.state('irc')).toBe('fatal PLATFORM_AUTH')
  })

  test('a nick that the server does not take is final', async () => {
    await using server = await openNgircd()
    using home = openTestHome()
    await using running = await openRunning(home, { IRC_PORT: String(server.port), IRC_NICKNAME: 'longer-than-the-server-likes' })
    expect(running.state('irc')).toBe('fatal PLATFORM_AUTH')
  })

  test('a nick that somebody has gets a suffix, and the right password lets in', async () => {
    await using server = await openNgircd({ password: 'right' })
    using home = openTestHome()
    await using holder = await openIrcPerson(server.port, 'agent', [], 'right')
    await using ann = await openIrcPerson(server.port, 'ann', [], 'right')
    await using running = await openRunning(home, { IRC_PORT: String(server.port), IRC_SERVER_PASSWORD: 'right' })
    expect(running.state('irc')).toBe('connected')
    ann.say('agent_', 'stream 2 tokens')
    await expect.poll(() => ann.text('agent_', 'ann'), bounded).toBe(tokens(2))
    expect(holder.heard).toEqual([])
  })

  test('an answer to somebody who left is refused, and the next one is sent', async () => {
    await using server = await openNgircd()
    using home = openTestHome()
    await using running = await openRunning(home, { IRC_PORT: String(server.port) })
    const bob = await openIrcPerson(server.port, 'bob')
    await using ann = await openIrcPerson(server.port, 'ann')
    bob.say('agent', 'stream 10 tokens every 50 ms')
    await bob.gone()
    await expect
      .poll(() => home.read('logs/gateway.log'), bounded)
      .toMatch(/"conversation":"[^"]+","status":"refused","error":"IRC refused the message: /)
    ann.say('agent', 'stream 2 tokens')
    await expect.poll(() => ann.text('agent', 'ann'), bounded).toBe(tokens(2))
    expect(running.state('irc')).toBe('connected')
  })
})
