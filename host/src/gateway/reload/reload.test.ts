// @module-tag server
import type { Toolset } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import type { ToolTurn } from '#tools/tool-turn.ts'
import {
  addPlatform,
  addToolset,
  openReloadGateway,
  type ReloadGateway,
  type Service,
  writeSwitches,
} from '../../../../test/support/gateways/reload-gateway.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { askGateway } from '../control/ask-gateway.ts'
import { wishFor } from '../links/paused-platforms.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  addPlatform(home, 'calm')
  addPlatform(home, 'other')
  addPlatform(home, 'single', { singletonLock: 'SINGLE_TOKEN' })
})
afterEach(() => home[Symbol.dispose]())

/** Talks on while `work` runs; resolves with how many messages got no answer. */
async function lostDuring(service: Service, work: () => Promise<void>): Promise<number> {
  let over = false
  let said = 0
  let answered = 0
  const talking = (async () => {
    while (!over || said < 3) {
      said += 1
      if ((await service.talk(`message ${said}`)) !== '') answered += 1
    }
  })()
  await work()
  over = true
  await talking
  return said - answered
}

test('switching a platform on and off leaves the conversation of another one alone', async () => {
  writeSwitches(home, ['platform-calm'])
  await using opened = await openReloadGateway(home)
  const { gateway, service } = opened
  const lost = await lostDuring(service('calm'), async () => {
    writeSwitches(home, ['platform-calm', 'platform-other'])
    expect(await gateway.reload()).toEqual({
      generation: 2,
      parts: [{ kind: 'platform', id: 'other', plugin: 'platform-other', did: 'opened', state: 'connected' }],
    })
    expect(await service('other').talk('hello')).not.toBe('')
    writeSwitches(home, ['platform-calm'])
    const { parts } = await gateway.reload()
    expect(parts).toMatchObject([{ id: 'other', did: 'closed' }])
    expect(service('other').open).toBe(0)
    expect(gateway.platforms()).not.toContainEqual(expect.objectContaining({ platform: 'other' }))
  })
  expect([lost, service('calm').connects]).toEqual([0, 1])
  expect(home.read('gateway_state.json')).not.toContain('"other"')
})

test('nothing changed: nothing happens', async () => {
  writeSwitches(home, ['platform-calm', 'platform-other'])
  await using opened = await openReloadGateway(home)
  expect((await opened.gateway.reload()).parts).toEqual([])
  expect([opened.service('calm').connects, opened.service('other').connects]).toEqual([1, 1])
})

test('new settings: the new connection works before the old one ends', async () => {
  writeSwitches(home, ['platform-calm', 'platform-other'])
  await using opened = await openReloadGateway(home)
  const { gateway, service } = opened
  writeSwitches(home, ['platform-calm', 'platform-other'], { other: { word: 'new' } })
  const lost = await lostDuring(service('other'), async () => {
    expect((await gateway.reload()).parts).toMatchObject([{ id: 'other', did: 'replaced', state: 'connected' }])
  })
  const { connects, open, most, config } = service('other')
  expect({ lost, connects, open, most, config }).toEqual({ lost: 0, connects: 2, open: 1, most: 2, config: { word: 'new' } })
  expect(service('calm').connects).toBe(1)
})

test('what only says who may write is taken over without a new connection', async () => {
  writeSwitches(home, ['platform-calm'])
  const ours = home.read('config.yaml')
  home.write('config.yaml', ours.replace('"ann"', '"bob"'))
  await using opened = await openReloadGateway(home)
  void opened.service('calm').talk('may I?')
  await expect.poll(() => opened.agent.store.journal.pending()).toEqual([])
  home.write('config.yaml', ours)
  expect((await opened.gateway.reload()).parts).toEqual([])
  expect(await opened.service('calm').talk('and now?')).not.toBe('')
  expect(opened.service('calm').connects).toBe(1)
})

test('who may write changes with a new connection too', async () => {
  writeSwitches(home, ['platform-calm'])
  const ours = home.read('config.yaml')
  home.write('config.yaml', ours.replace('"ann"', '"bob"'))
  await using opened = await openReloadGateway(home)
  void opened.service('calm').talk('may I?')
  await expect.poll(() => opened.agent.store.journal.pending()).toEqual([])
  writeSwitches(home, ['platform-calm'], { calm: { word: 'new' } })
  expect((await opened.gateway.reload()).parts).toMatchObject([{ id: 'calm', did: 'replaced' }])
  expect(await opened.service('calm').talk('and now?')).not.toBe('')
})

test('settings that do not work are refused, and the old connection has not noticed', async () => {
  writeSwitches(home, ['platform-calm', 'platform-other'])
  await using opened = await openReloadGateway(home)
  const { gateway, service } = opened
  writeSwitches(home, ['platform-calm', 'platform-other'], { other: { broken: true } })
  const lost = await lostDuring(service('other'), async () => {
    expect((await gateway.reload()).parts).toMatchObject([
      { id: 'other', did: 'kept', state: 'connected', error: { code: 'PLATFORM_AUTH' } },
    ])
  })
  expect([lost, service('other').connects, service('other').config]).toEqual([0, 1, {}])
  writeSwitches(home, ['platform-calm', 'platform-other'], { other: { word: 'mended' } })
  expect((await gateway.reload()).parts).toMatchObject([{ id: 'other', did: 'replaced' }])
  expect(service('other').config).toEqual({ word: 'mended' })
})

test('where a service takes one connection only, the old one ends first, and comes back when the new one fails', async () => {
  const environment = { SINGLE_TOKEN: 'a-long-token' }
  writeSwitches(home, ['platform-calm', 'platform-single'])
  await using opened = await openReloadGateway(home, { environment })
  const { gateway, service } = opened
  const single = service('single')
  writeSwitches(home, ['platform-calm', 'platform-single'], { single: { word: 'new' } })
  expect((await gateway.reload()).parts).toMatchObject([{ id: 'single', did: 'replaced', state: 'connected' }])
  expect([single.connects, single.most, single.config]).toEqual([2, 1, { word: 'new' }])
  writeSwitches(home, ['platform-calm', 'platform-single'], { single: { broken: true } })
  expect((await gateway.reload()).parts).toMatchObject([{ id: 'single', did: 'kept', error: { code: 'PLATFORM_AUTH' } }])
  await expect.poll(() => single.open).toBe(1)
  expect([single.connects, single.most, single.config]).toEqual([3, 1, { word: 'new' }])
  expect(await single.talk('still there?')).not.toBe('')
  expect(service('calm').connects).toBe(1)
})

test('settings that nobody can read change nothing', async () => {
  writeSwitches(home, ['platform-calm'])
  await using opened = await openReloadGateway(home)
  home.write('config.yaml', 'plugins: [')
  await expect(opened.gateway.reload()).rejects.toMatchObject({ code: 'CONFIG_BROKEN' })
  expect(await opened.service('calm').talk('hello')).not.toBe('')
  expect(opened.service('calm').connects).toBe(1)
})

test('a platform that was switched on and cannot connect is told, and tried on', async () => {
  writeSwitches(home, ['platform-calm'])
  await using opened = await openReloadGateway(home)
  writeSwitches(home, ['platform-calm', 'platform-other'], { other: { broken: true } })
  expect((await opened.gateway.reload()).parts).toMatchObject([
    { id: 'other', did: 'opened', state: 'fatal', error: { code: 'PLATFORM_AUTH' } },
  ])
  writeSwitches(home, ['platform-calm', 'platform-other'])
  expect((await opened.gateway.reload()).parts).toMatchObject([{ id: 'other', did: 'replaced', state: 'connected' }])
})

/** The tools that the session of the last conversation was begun with. */
async function toolsOf({ agent }: ReloadGateway): Promise<string> {
  const { sessions } = agent.store
  const [last] = await sessions.list({ limit: 1 })
  return (await sessions.find(last?.id ?? ''))?.tools ?? ''
}

test('new code of a plugin that runs in the gateway waits for a restart, and it goes on with the old', async () => {
  writeSwitches(home, ['platform-calm'])
  home.write('config.yaml', home.read('config.yaml').replace('"enabled":true', '"enabled":true,"isolation":"inproc"'))
  await using opened = await openReloadGateway(home)
  addPlatform(home, 'calm', { version: '2.0.0' })
  expect((await opened.gateway.reload()).parts).toMatchObject([{ id: 'calm', did: 'kept', error: { code: 'PLUGIN_RESTART' } }])
  expect([opened.service('calm').connects, opened.service('calm').open]).toEqual([1, 1])
})

test('a gateway says of itself what it is and what runs in it, and takes a reload over its socket', async () => {
  writeSwitches(home, ['platform-calm'])
  await using opened = await openReloadGateway(home)
  const ask = (method: string): Promise<unknown> =>
    askGateway(opened.agent.home, method, null, { signal: new AbortController().signal, timeoutMs: 10_000 })
  const calm = expect.objectContaining({ platform: 'calm', state: 'connected' })
  expect(await ask('status')).toMatchObject({ pid: process.pid, generation: 1, platforms: expect.arrayContaining([calm]) })
  const { plugins } = (await ask('plugins.list')) as { plugins: readonly { id: string }[] }
  expect(plugins.find(({ id }) => id === 'platform-calm')).toMatchObject({ state: 'active', child: null, faults: 0 })
  writeSwitches(home, [])
  expect(await ask('plugins.reload')).toEqual({
    generation: 2,
    parts: [{ kind: 'platform', id: 'calm', plugin: 'platform-calm', did: 'closed' }],
  })
})

test('a toolset that was switched on is there in the next new session, and sessions that are under way keep their own', async () => {
  addToolset(home, 'dice', 'roll_dice')
  writeSwitches(home, ['platform-calm'])
  await using opened = await openReloadGateway(home)
  const calm = opened.service('calm')
  await calm.talk('hello')
  const before = await toolsOf(opened)
  writeSwitches(home, ['platform-calm', 'toolset-dice'])
  expect((await opened.gateway.reload()).parts).toMatchObject([{ kind: 'toolset', id: 'dice', did: 'opened' }])
  await calm.talk('hello again')
  expect(await toolsOf(opened)).toBe(before)
  await calm.talk('/new')
  await calm.talk('and now?')
  expect(before).not.toContain('roll_dice')
  expect(await toolsOf(opened)).toContain('"roll_dice"')
  expect(calm.connects).toBe(1)
})

test('new settings of a toolset hold for the next call, and what it had set up is undone', async () => {
  addToolset(home, 'dice', 'roll_dice')
  const heard: string[] = []
  const dice: Toolset = {
    open: async (context) => {
      const { word = 'old' } = context.config as { word?: string }
      context.effect(() => void heard.push(`${word} ended`))
      return { tools: { roll_dice: async () => ({ ok: true, text: word }) } }
    },
  }
  writeSwitches(home, ['platform-calm', 'toolset-dice'])
  await using opened = await openReloadGateway(home, { toolsets: { dice } })
  const { agent, gateway } = opened
  const turn = { turn: 't', session: 's', workspace: home.work, tools: new Set(['roll_dice']), approved: new Set() } as unknown as ToolTurn
  const roll = async (): Promise<string> => {
    const prepared = await agent.toolbox.prepare({ id: '1', name: 'roll_dice', args: '{}' }, turn)
    return (prepared.ready ? await prepared.run(createCall(new AbortController().signal)) : prepared.done).outcome.text
  }
  expect(await roll()).toBe('old')
  const settings = home.read('config.yaml')
  home.write('config.yaml', settings.replace('"toolset-dice":{"enabled":true}', '"toolset-dice":{"enabled":true,"config":{"word":"new"}}'))
  expect((await gateway.reload()).parts).toMatchObject([{ kind: 'toolset', id: 'dice', did: 'replaced' }])
  await expect.poll(() => heard).toEqual(['old ended'])
  expect(await roll()).toBe('new')
})

test('a variable counts for the plugins that name it, and for no other', async () => {
  writeSwitches(home, ['platform-calm', 'platform-single'])
  home.write('.env', 'SINGLE_TOKEN=first-token\n')
  await using opened = await openReloadGateway(home)
  const { gateway, service } = opened
  home.write('.env', 'SINGLE_TOKEN=first-token\nSOMETHING_ELSE=1\n')
  expect((await gateway.reload()).parts).toEqual([])
  home.write('.env', 'SINGLE_TOKEN=second-token\n')
  expect((await gateway.reload()).parts).toMatchObject([{ id: 'single', did: 'replaced', state: 'connected' }])
  expect([service('single').connects, service('single').most, service('calm').connects]).toEqual([2, 1, 1])
  const { secrets } = opened.agent.loaded.environment
  expect(secrets()).toEqual(expect.arrayContaining(['first-token', 'second-token']))
})

test('a platform that is paused stays so, with its new settings', async () => {
  writeSwitches(home, ['platform-calm'])
  await using opened = await openReloadGateway(home)
  await wishFor(opened.agent.store.kv, 'other', 'paused')
  writeSwitches(home, ['platform-calm', 'platform-other'])
  expect((await opened.gateway.reload()).parts).toMatchObject([{ id: 'other', did: 'opened', state: 'paused' }])
  expect(opened.service('other').connects).toBe(0)
})
