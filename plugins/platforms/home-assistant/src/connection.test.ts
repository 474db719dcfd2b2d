import { readFileSync } from 'node:fs'
import type { Connection, OutboundMessage, PlatformContext } from '@agent/plugin-sdk'
import { manifestSchema } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock, openTestContext, type TestContext } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { type HomeServer, type HomeServerOptions, openHomeServer, self } from '../test/home-server.ts'
import { config } from './config.ts'
import homeAssistant from './connection.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 10_000 }
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Rig {
  readonly home: HomeServer
  readonly host: TestContext
  readonly clock: FakeClock
  readonly connect: () => Promise<Connection>
}

async function openRig(extra: object = { watch_all: true }, options: Partial<HomeServerOptions> = {}, more = {}): Promise<Rig> {
  const home = await openHomeServer({ token: 'right', ...options })
  closers.push(() => home[Symbol.asyncDispose]())
  const secrets = { HASS_TOKEN: 'right', HASS_URL: home.server.url, ...more }
  const host = openTestContext({ manifest, contribution: 'home-assistant', config: config.parse(extra), secrets })
  closers.push(() => host.close())
  const clock = createFakeClock()
  const context: PlatformContext = { ...host.context, clock }
  const connect = async (): Promise<Connection> => {
    const connection = await homeAssistant.connect(context as PlatformContext<never>, call)
    closers.push(() => connection.close(call))
    return connection
  }
  return { home, host, clock, connect }
}

const hall = (state: string) => ({ entity_id: 'light.hall', state })
const textsOf = ({ host }: Rig) => host.received.map(({ text }) => text)

test('it logs in, knows who it is, and hears changes and automations', async () => {
  const rig = await openRig()
  const connection = await rig.connect()
  expect(await connection.identity?.(call)).toEqual(self)
  rig.home.change(hall('off'), hall('on'))
  rig.home.fire('agent_message', { text: 'Somebody rings.' })
  rig.home.fire('another_event', { text: 'Not for us.' })
  await expect.poll(() => textsOf(rig)).toEqual(['light.hall (light.hall) was turned on.', 'Somebody rings.'])
  expect(rig.host.lines.some((line) => line.includes('"warn"'))).toBe(false)
})

test('without anything to watch it warns once and tells no change', async () => {
  const rig = await openRig({})
  await rig.connect()
  rig.home.change(hall('off'), hall('on'))
  rig.home.change(hall('on'), hall('off'))
  rig.home.fire('agent_message', { text: 'over' })
  await expect.poll(() => textsOf(rig)).toEqual(['over'])
  expect(rig.host.lines.filter((line) => line.includes('"warn"'))).toEqual([expect.stringContaining('watch_domains')])
})

test('what its own user does is not told', async () => {
  const rig = await openRig({ watch_all: true, cooldown_seconds: 0 })
  await rig.connect()
  rig.home.change(hall('off'), hall('on'), { user: self.id })
  rig.home.change(hall('on'), hall('off'), { user: 'ann' })
  await expect.poll(() => textsOf(rig)).toEqual(['light.hall (light.hall) was turned off.'])
})

test('a user who is no administrator hears changes only', async () => {
  const rig = await openRig({ watch_all: true }, { allowed: ['state_changed'] })
  await rig.connect()
  rig.home.fire('agent_message', { text: 'not heard' })
  rig.home.change(hall('off'), hall('on'))
  await expect.poll(() => textsOf(rig)).toEqual(['light.hall (light.hall) was turned on.'])
  expect(rig.host.lines.join()).toContain('is no administrator')
})

test('what is said while it still connects is not lost', async () => {
  const rig = await openRig({}, { waiting: 'Good morning.' })
  await rig.connect()
  await expect.poll(() => textsOf(rig)).toEqual(['Good morning.'])
})

test('a user who may hear nothing is refused', async () => {
  const rig = await openRig({}, { allowed: [] })
  await expect(rig.connect()).rejects.toMatchObject({ code: 'PLATFORM_AUTH', params: { detail: 'Unauthorized' } })
})

test('a wrong token is refused for good, no server is not', async () => {
  const wrong = await openRig({}, {}, { HASS_TOKEN: 'wrong' })
  await expect(wrong.connect()).rejects.toMatchObject({ code: 'PLATFORM_AUTH' })
  const gone = await openRig()
  await gone.home[Symbol.asyncDispose]()
  await expect(gone.connect()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect([wrong.host.lost, gone.host.lost]).toEqual([[], []])
})

test('a connection that breaks before it is greeted is told only to who asked', async () => {
  const { home, host, clock } = await openRig()
  const context: PlatformContext = {
    ...host.context,
    clock,
    secrets: { ...host.context.secrets, find: async () => `${home.server.url}/silence` },
  }
  const connecting = homeAssistant.connect(context as PlatformContext<never>, call)
  const refusal = expect(connecting).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  await expect.poll(() => home.server.sockets().length).toBe(1)
  home.server.cut()
  await refusal
  expect(host.lost).toEqual([])
})

test('a connection that was cut without a word is found out by its silence', async () => {
  const { home, host, clock, connect } = await openRig()
  const connection = await connect()
  await clock.advance(20_000)
  await expect.poll(() => connection.lastHeard(call)).toBe(clock.now())
  home.server.sockets()[0]?.halfOpen()
  await clock.advance(20_000)
  expect(host.lost).toEqual([])
  await clock.advance(20_000)
  await expect.poll(() => host.lost.map(({ code }) => code)).toEqual(['PLATFORM_LOST'])
})

test('a message that the host cannot store ends the connection', async () => {
  const { home, host } = await openRig()
  const receive = async (): Promise<never> => {
    throw new Error('the disk is full')
  }
  const context: PlatformContext = { ...host.context, receive }
  await homeAssistant.connect(context as PlatformContext<never>, call)
  home.fire('agent_message', { text: 'lost' })
  await expect.poll(() => host.lost.map(({ code }) => code)).toEqual(['PLATFORM_LOST'])
})

const message = (text: string, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  ...{ key: 'k', account: 'a', conversation: 'ha_events', text, part: { index: 0, total: 1 } },
  ...more,
})

test('an answer is a notification, and a repeated one takes its place', async () => {
  const { home, connect } = await openRig()
  const { send } = await connect()
  const first = await send?.(message('**One**'), call)
  expect(first).toMatchObject({ status: 'sent', platformId: expect.stringMatching(/^agent_[\da-f]{24}$/) })
  expect(await send?.(message('**One**'), call)).toEqual(first)
  await send?.(message('Two', { key: 'k2' }), call)
  expect([...home.notifications.values()]).toEqual(['**One**', 'Two'])
  expect(home.calls[0]).toMatchObject({ data: { title: 'Agent' } })
})

test('a conversation can be a service that notifies', async () => {
  const { home, connect } = await openRig()
  const { send } = await connect()
  expect(await send?.(message('Hi', { conversation: 'notify.mobile_app_phone' }), call)).toMatchObject({ status: 'sent' })
  expect(home.calls).toEqual([{ service: 'notify.mobile_app_phone', data: { message: 'Hi' } }])
  const refused = async (conversation: string) => {
    const receipt = await send?.(message('Hi', { conversation }), call)
    return receipt?.status === 'refused' ? receipt.error.params?.detail : receipt
  }
  expect(await refused('notify.nobody')).toBe('400: Bad Request')
  expect(await refused('light.turn_on')).toMatch(/neither ha_events nor notify/)
  expect(await refused('notify.a/../../states')).toMatch(/neither/)
  expect(home.calls).toHaveLength(1)
})

test('a lost answer is unknown, a refusal and a redirect are refusals, and after the end nothing leaves', async () => {
  const { home, host, connect } = await openRig()
  const { send, close } = await connect()
  const faults = [
    [{ type: 'drop' }, 'unknown'],
    [{ type: 'status', status: 502 }, 'unknown'],
    [{ type: 'status', status: 200, body: '<html>' }, 'refused'],
    [{ type: 'status', status: 301, headers: { Location: 'https://elsewhere' } }, 'refused'],
    [{ type: 'status', status: 401, body: '401: Unauthorized' }, 'refused'],
  ] as const
  for (const [fault, status] of faults) {
    home.server.breakNext(fault)
    expect(await send?.(message('x'), call), JSON.stringify(fault)).toMatchObject({ status })
  }
  expect(home.server.journal.some(({ headers }) => headers.host?.includes('elsewhere'))).toBe(false)
  await close(call)
  expect(host.lost).toEqual([])
  await expect(send?.(message('x'), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})
