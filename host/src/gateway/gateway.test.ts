// @module-tag server
import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, InboundMessage, Toolset } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHome } from '#config/home/home.ts'
import { createCall } from '#kernel/calls/call.ts'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { nativeBinding } from '#store/native.ts'
import { openStore } from '#store/sqlite/open.ts'
import type { Store } from '#store/store.ts'
import type { ToolTurn } from '#tools/tool-turn.ts'
import { addHooks, addPlatform, addToolset, openReloadGateway, writeSwitches } from '../../../test/support/gateways/reload-gateway.ts'
import { openTestHome, type TestHome } from '../../../test/support/test-home.ts'
import { askGateway } from './control/ask-gateway.ts'
import type { GatewayState } from './instance/instance.ts'
import { wishFor } from './links/paused-platforms.ts'

/** On a machine that is busy a gateway takes its time. */
const soon = { timeout: 10_000 }

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  addPlatform(home, 'calm')
  writeSwitches(home, ['platform-calm'])
})
afterEach(() => home[Symbol.dispose]())

/** Waits for nothing longer than this. */
const hurried: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal) }

/** What another process does with the store of the home, now or some time ago. */
async function elsewhere(work: (store: Store) => Promise<unknown>, agoMs = 0): Promise<void> {
  const clock: Clock = { ...systemClock, now: () => Date.now() - agoMs }
  // Two builds of SQLite in one process would not see each other's locks.
  const native = nativeBinding({ folder: home.environment.AGENT_NATIVE_CACHE ?? '' })
  const store = await openStore({ file: join(home.home, 'state.db'), durability: 'process', clock, log: silentLog, nativeBinding: native })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

const message: InboundMessage = {
  ...{ id: 'm0', account: 'bot', text: 'hello', addressed: true },
  conversation: { id: 'ann', kind: 'dm' },
  sender: { id: 'ann', isBot: false },
}

/** A gateway that ended without a word, with a message in work. */
async function claimAs(owner: string, { leases, journal }: Store) {
  await leases.hold(owner, owner, 60_000)
  const claim = await journal.claim(owner)
  if (!claim) throw new Error('there was nothing to do')
  return claim
}

test('a message that ended three gateways is given up, and its writer is told', async () => {
  await elsewhere(async (store) => {
    await store.journal.accept('calm', message)
    for (const owner of ['one', 'two', 'three']) {
      await store.journal.recover(owner, { alone: true })
      await claimAs(owner, store)
    }
  })
  await using opened = await openReloadGateway(home)
  await expect.poll(() => opened.service('calm').said, soon).toEqual([expect.stringContaining('stumble three times')])
  await expect.poll(() => opened.agent.store.journal.pending(), soon).toEqual([])
})

test('of what the last gateway was sending as it ended nobody knows whether it arrived, and its conversation is told so; what is for a platform that is gone waits', async () => {
  await elsewhere(async (store) => {
    for (const platform of ['calm', 'gone']) {
      await store.journal.accept(platform, message)
      await store.journal.answer(await claimAs('one', store), { outbound: [{ text: 'hi' }], turn: null })
      await store.journal.claimSend('one', { platform })
    }
  })
  await using opened = await openReloadGateway(home)
  const { journal } = opened.agent.store
  await expect.poll(() => opened.service('calm').said, soon).toEqual([expect.stringMatching(/^\(A message of mine may be missing here/)])
  expect(await journal.unknownSends()).toMatchObject([{ platform: 'calm', text: 'hi' }])
  await expect.poll(() => journal.pending(), soon).toMatchObject([{ platform: 'gone', outbox: 1 }])
})

test('what was settled a week ago is forgotten, and what is younger is known', async () => {
  const days = 24 * 3_600_000
  const settle = (id: string) => async (store: Store) => {
    await store.journal.accept('calm', { ...message, id })
    await store.journal.answer(await claimAs('one', store), { outbound: [], turn: null })
  }
  await elsewhere(settle('old'), 7 * days + 60_000)
  await elsewhere(settle('young'), 7 * days - 60_000)
  await using opened = await openReloadGateway(home)
  const { journal } = opened.agent.store
  expect(await journal.accept('calm', { ...message, id: 'young' })).toMatchObject({ status: 'duplicate' })
  expect(await journal.accept('calm', { ...message, id: 'old' })).toMatchObject({ status: 'accepted' })
})

test('files that people sent more than a day ago are gone after a start', async () => {
  const [old, young] = ['old', 'young'].map((name) => home.write(`cache/images/image_${name}.png`, 'x'))
  const longAgo = (Date.now() - 25 * 3_600_000) / 1000
  utimesSync(old ?? '', longAgo, longAgo)
  await using _ = await openReloadGateway(home)
  expect([existsSync(old ?? ''), existsSync(young ?? '')]).toEqual([false, true])
})

test('what another process wants is done: a platform is paused, and a message is sent', async () => {
  await using opened = await openReloadGateway(home, { clock: hurried })
  await elsewhere(({ journal }) => journal.post({ platform: 'calm', account: 'bot', conversation: 'ann' }, [{ text: 'a post' }], 'msg_1'))
  await expect.poll(() => opened.service('calm').said, soon).toEqual(['a post'])
  await elsewhere(({ kv }) => wishFor(kv, 'calm', 'paused'))
  await expect.poll(() => opened.gateway.platforms().find(({ platform }) => platform === 'calm')?.state, soon).toBe('paused')
})

test('who asks for the status hears when a platform was heard last, as it is at that moment', async () => {
  await using opened = await openReloadGateway(home)
  const calm = opened.service('calm')
  calm.heardAt = Date.now()
  const said = await askGateway(opened.agent.home, 'status', null, { signal: new AbortController().signal })
  expect(said).toMatchObject({
    platforms: expect.arrayContaining([expect.objectContaining({ platform: 'calm', lastHeard: calm.heardAt })]),
  })
})

test('whether strangers get a code is a setting that a running gateway takes over', async () => {
  addPlatform(home, 'calm', { pairs: true })
  const write = (behaviour: string): void =>
    void home.write(
      'config.yaml',
      JSON.stringify({ unauthorized_dm_behavior: behaviour, plugins: { entries: { 'platform-calm': { enabled: true } } } }),
    )
  write('pair')
  await using opened = await openReloadGateway(home)
  const calm = opened.service('calm')
  const { journal } = opened.agent.store
  const toldWhenWriting = async (person: string): Promise<number> => {
    await calm.write(person, 'hello')
    await expect.poll(() => journal.pending(), soon).toEqual([])
    return calm.said.length
  }
  expect(await toldWhenWriting('bob')).toBe(1)
  write('ignore')
  await opened.gateway.reload()
  expect(await toldWhenWriting('carl')).toBe(1)
  write('pair')
  await opened.gateway.reload()
  expect(await toldWhenWriting('dora')).toBe(2)
})

test('what becomes of work in the background is told to its conversation', async () => {
  addToolset(home, 'dice', 'roll_dice', { permissions: { host: { value: ['notify'], reason: 'tells' } } })
  writeSwitches(home, ['platform-calm', 'toolset-dice'])
  const dice: Toolset = {
    open: async ({ notify }) => ({
      tools: {
        roll_dice: async ({ session }) => {
          notify({ session, kind: 'result', text: 'It is done.' })
          return { ok: true, text: '6' }
        },
      },
    }),
  }
  await using opened = await openReloadGateway(home, { toolsets: { dice } })
  const calm = opened.service('calm')
  await calm.talk('hello')
  const [session] = await opened.agent.store.sessions.list({ limit: 1 })
  const turn = { turn: 't', session: session?.id, workspace: home.work, tools: new Set(['roll_dice']), approved: new Set() }
  const prepared = await opened.agent.toolbox.prepare({ id: '1', name: 'roll_dice', args: '{}' }, turn as unknown as ToolTurn)
  if (prepared.ready) await prepared.run(createCall(new AbortController().signal))
  await expect.poll(() => calm.said.at(-1), soon).toBe('It is done.')
})

test('hooks refuse what people write, and change what they are sent', async () => {
  const code = `export default {
    open: async () => ({
      hooks: {
        'message.inbound': async ({ message }) => (message.text === 'lottery' ? { refuse: 'no casino' } : undefined),
        'message.outbound': async ({ message }) => ({ message: { ...message, text: message.text.replaceAll('secret', '***') } }),
      },
    }),
  }`
  addHooks(home, 'house', [{ name: 'message.inbound' }, { name: 'message.outbound' }], code)
  const entries = Object.fromEntries(['platform-calm', 'hooks-house'].map((plugin) => [plugin, { enabled: true, isolation: 'inproc' }]))
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, platforms: { calm: { allow_from: ['ann'] } } }))
  await using opened = await openReloadGateway(home)
  const { talk } = opened.service('calm')
  expect(await talk('lottery')).toContain('no casino')
  expect(await talk('a secret word')).toContain('a *** word')
})

test('platforms that connect outwards are loaded a moment after a door has opened, and who asks is answered by then', async () => {
  addPlatform(home, 'entrance', { door: 'request' })
  writeSwitches(home, ['platform-calm', 'platform-entrance'])
  const seen: string[] = []
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms, signal) => {
      await systemClock.sleep(ms, signal)
      if (ms !== 100) return
      const { platforms } = JSON.parse(readFileSync(join(home.home, 'gateway_state.json'), 'utf8')) as GatewayState
      seen.push(`calm is ${platforms.find(({ platform }) => platform === 'calm')?.state}`)
      // Who has read where it listens may ask it; what would change it waits.
      const ask = (method: string) =>
        askGateway(openHome({ environment: home.environment }), method, null, { signal: new AbortController().signal })
      const said = (await ask('status')) as GatewayState
      seen.push(`and said to be ${said.platforms.find(({ platform }) => platform === 'calm')?.state}`)
      const reloaded = ask('plugins.reload').then(() => seen.push('reloaded'))
      await Promise.race([reloaded, systemClock.sleep(300)])
    },
  }
  await using _ = await openReloadGateway(home, { clock, onConnect: (id) => seen.push(id) })
  await expect.poll(() => seen, soon).toEqual(['entrance', 'calm is starting', 'and said to be starting', 'calm', 'reloaded'])
})

test('after a platform has asked for patience with an answer, only answers go there, and no marks', async () => {
  addPlatform(home, 'calm', { reacts: true })
  await using opened = await openReloadGateway(home)
  const calm = opened.service('calm')
  await calm.talk('one')
  await expect.poll(() => calm.marks, soon).toEqual(['m1 seen', 'm1 done'])
  calm.holdNext(1)
  await calm.talk('two')
  await calm.talk('three')
  expect(calm.said.map((text) => text.match(/one|two|three/)?.[0])).toEqual(['one', 'two', 'three'])
  expect(calm.marks.filter((mark) => mark.startsWith('m3'))).toEqual([])
})
