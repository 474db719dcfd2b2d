// @module-tag process
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { needs } from '../../../../test/support/needs.ts'
import { type AgentProcess, runAgent, startAgent } from '../../../../test/support/run-agent.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { type IrcPerson, openIrcPerson } from '../test/irc-person.ts'
import { type Ngircd, ngircdMissing, openNgircd } from '../test/ngircd.ts'

const bounded = { timeout: 25_000, interval: 20 }
const tokens = (count: number): string => Array.from({ length: count }, (_, index) => `offline-${index + 1}`).join(' ')
const greeting = /^I do not know you yet: within an hour, ask my owner to run "agent pairing approve irc ([A-HJ-NP-Z2-9]{8})"\.$/

describe('strangers on a real ngircd', needs(ngircdMissing), () => {
  let server: Ngircd
  let home: TestHome
  let gateway: AgentProcess
  let eve: IrcPerson
  let mallory: IrcPerson

  beforeAll(async () => {
    server = await openNgircd()
    home = openTestHome()
    home.write('config.yaml', 'platforms:\n  irc:\n    extra:\n      channels: ["#room"]\n      line_delay_ms: 5\n')
    gateway = startAgent(home, ['gateway', 'run'], {
      environment: { AGENT_INFERENCE_PROVIDER: 'offline', IRC_SERVER: '127.0.0.1', IRC_USE_TLS: 'false', IRC_PORT: String(server.port) },
      timeoutMs: 120_000,
    })
    await gateway.heard(/irc: connected/)
    eve = await openIrcPerson(server.port, 'eve', ['#room'])
    mallory = await openIrcPerson(server.port, 'mallory', ['#room'])
  }, 60_000)
  afterAll(async () => {
    gateway?.child.kill()
    await gateway?.ended
    await eve?.[Symbol.asyncDispose]()
    await mallory?.[Symbol.asyncDispose]()
    home?.[Symbol.dispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const pairing = (...words: string[]) => runAgent(home, ['pairing', ...words])
  /** How many messages of somebody were turned away with this verdict. */
  const turnedAway = (sender: string, verdict: string): number =>
    home
      .read('logs/gateway.log')
      .split('\n')
      .filter((line) => line.includes(`"sender":"${sender}","verdict":"${verdict}"`)).length

  proves('auth.messaging.pairing', 'a stranger gets a code once, and is answered as soon as the owner approved it', async () => {
    eve.say('agent', 'stream 9 tokens')
    await expect.poll(() => eve.text('agent', 'eve'), bounded).toMatch(greeting)
    const greeted = eve.text('agent', 'eve')
    eve.say('agent', '/help')
    await expect.poll(() => turnedAway('eve', 'stranger'), bounded).toBe(2)
    const [, code = ''] = greeting.exec(greeted) ?? []
    expect((await pairing('list')).out).toMatch(/^irc {2}eve .*asked/m)
    expect(await pairing('approve', 'irc', code)).toMatchObject({ code: 0, out: expect.stringMatching(/^eve may write to agent@127/) })
    const letIn = `${greeted} My owner has let you in: you can write to me here now. /help lists the commands.`
    await expect.poll(() => eve.text('agent', 'eve'), bounded).toBe(letIn)
    eve.say('agent', 'stream 2 tokens')
    await expect.poll(() => eve.text('agent', 'eve'), bounded).toBe(`${letIn} ${tokens(2)}`)
  })

  proves('auth.messaging.allowlist', 'in a channel neither a stranger nor who was paired gets anything', async () => {
    const before = eve.text('agent', 'eve')
    mallory.say('#room', 'agent: stream 3 tokens')
    eve.say('#room', 'agent: stream 3 tokens')
    await expect.poll(() => [turnedAway('mallory', 'not-allowed'), turnedAway('eve', 'not-allowed')], bounded).toEqual([1, 1])
    eve.say('agent', 'stream 3 tokens')
    await expect.poll(() => eve.text('agent', 'eve'), bounded).toBe(`${before} ${tokens(3)}`)
    expect([...mallory.heard, ...eve.heard].filter(({ from, target }) => from === 'agent' && target !== 'eve')).toEqual([])
  })

  test('who is revoked is out, and gets no second code so soon', async () => {
    const before = eve.text('agent', 'eve')
    expect(await pairing('revoke', 'irc', 'Eve')).toMatchObject({ code: 0 })
    eve.say('agent', 'stream 2 tokens')
    await expect.poll(() => turnedAway('eve', 'stranger'), bounded).toBe(3)
    expect(eve.text('agent', 'eve')).toBe(before)
  })

  test('who guesses codes locks the platform, for the right code and for new strangers', async () => {
    mallory.say('agent', 'let me in')
    await expect.poll(() => mallory.text('agent', 'mallory'), bounded).toMatch(greeting)
    for (let tries = 0; tries < 4; tries++) expect((await pairing('approve', 'irc', 'AAAAAAAA')).note).toMatch(/left\.$/m)
    expect(await pairing('approve', 'irc', 'AAAAAAAA')).toMatchObject({ code: 1, note: expect.stringMatching(/locked until/) })
    const [, code = ''] = greeting.exec(mallory.text('agent', 'mallory')) ?? []
    expect(await pairing('approve', 'irc', code)).toMatchObject({ code: 1, note: expect.stringMatching(/locked until/) })
    await using dave = await openIrcPerson(server.port, 'dave')
    dave.say('agent', 'hello')
    await expect.poll(() => turnedAway('dave', 'stranger'), bounded).toBe(1)
    expect(dave.heard).toEqual([])
  }, 60_000)
})
