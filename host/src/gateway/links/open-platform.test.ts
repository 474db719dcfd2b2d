import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection, Platform, PlatformContext } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEnvironment } from '#config/environment/environment.ts'
import { homeOf } from '#config/home/home.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { Ledger } from '#kernel/ledger.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { talkSpec } from '../testing/talk.ts'
import { createOpenPlatforms, type OpenPlatformsOptions } from './open-platform.ts'
import { wishFor } from './paused-platforms.ts'
import type { Link } from './platform-link.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-platforms-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

interface Given extends Partial<Pick<OpenPlatformsOptions, 'isOfflineByDefault'>> {
  readonly connection?: Partial<Connection>
  readonly connect?: Platform['connect']
  readonly effect?: () => Promise<void>
  readonly settings?: object
  readonly receiveTimeout?: number
}

async function openRig({
  connection = {},
  connect,
  effect,
  settings = {},
  receiveTimeout = 120,
  isOfflineByDefault = () => false,
}: Given = {}) {
  const clock = createFakeClock()
  const place = await createTemporaryStore()
  const store = await place.open({ clock })
  const gateway = { ...defaultConfig.gateway, receive_timeout: receiveTimeout }
  const loaded = { config: { ...defaultConfig, gateway, platforms: { talk: settings } }, environment: openEnvironment({}) }
  const links = new Map<string, Link>()
  const told: string[] = []
  const contexts: PlatformContext[] = []
  const platform: Platform = {
    connect: async (context, call) => {
      contexts.push(context)
      return connect ? connect(context, call) : { lastHeard: async () => 0, close: async () => undefined, ...connection }
    },
  }
  const options = {
    ...{ home: homeOf(folder, 'default'), locks: join(folder, 'locks'), clock, log: silentLog, random: () => 0, store, loaded, links },
    ...{ isOfflineByDefault, inbox: {}, onChange: (_: unknown, { state }: { readonly state: string }) => told.push(state) },
    generations: { loadedFor: () => loaded },
    activator: { entry: async () => platform },
    createContext: async (_: unknown, ledger: Ledger) => {
      if (effect) ledger.add(effect, 'what it set up')
      return {}
    },
  }
  const platforms = createOpenPlatforms(options as unknown as OpenPlatformsOptions)
  const open = async (spec: Parameters<typeof talkSpec>[0] = {}): Promise<Link> => {
    const plugin = { manifest: { id: 'platform-talk', permissions: {} } }
    const link = await platforms.open({ kind: 'platform', id: 'talk', spec: talkSpec(spec), plugin } as unknown as Contribution<'platform'>)
    links.set('talk', link)
    return link
  }
  return {
    ...{ clock, store, links, told, contexts, platforms, open },
    async [Symbol.asyncDispose]() {
      const closing = platforms.close()
      await clock.advance(60_000)
      await closing
      await place[Symbol.asyncDispose]()
    },
  }
}

test('while only the offline model would answer, a platform that reaches people does not connect, and one for the owner does', async () => {
  for (const [isOffline, reach, state] of [
    [true, 'people', 'fatal'],
    [true, 'owner', 'connected'],
    [false, 'people', 'connected'],
  ] as const) {
    await using rig = await openRig({ isOfflineByDefault: () => isOffline })
    const link = await rig.open({ reach })
    await link.settled
    expect(link.status().state, `${isOffline} ${reach}`).toBe(state)
    if (state === 'fatal') expect(link.status().error?.code).toBe('OFFLINE_MODEL')
  }
})

test('settings that contradict themselves are final, and none of its code runs', async () => {
  await using rig = await openRig({ settings: { group_policy: 'open' } })
  const link = await rig.open()
  await link.settled
  expect(link.status()).toMatchObject({ state: 'fatal', error: { code: 'CONFIG_INVALID' } })
  expect(rig.contexts).toEqual([])
})

test('what a person has paused is not connected', async () => {
  await using rig = await openRig()
  await wishFor(rig.store.kv, 'talk', 'paused')
  expect((await rig.open()).status().state).toBe('paused')
  // It did not stand yet.
  expect(rig.told).toEqual([])
  await wishFor(rig.store.kv, 'talk', 'resumed')
  const link = await rig.open()
  await link.settled
  expect(link.status().state).toBe('connected')
})

test('of the connection that stands every state is told, of others none', async () => {
  await using rig = await openRig()
  const first = await rig.open()
  await first.settled
  const second = await rig.open()
  await second.settled
  const before = rig.told.length
  await first.close()
  expect(rig.told.length).toBe(before)
  await second.pause()
  expect(rig.told.at(-1)).toBe('paused')
})

test('a connection is made again when it has heard nothing for as long as the settings allow', async () => {
  await using rig = await openRig({ receiveTimeout: 60 })
  await (await rig.open({ reception: 'continuous' })).settled
  await rig.clock.advance(59_000)
  expect(rig.contexts).toHaveLength(1)
  await rig.clock.advance(10_000)
  expect(rig.contexts).toHaveLength(2)
})

test('a first attempt is waited for, but no longer than ten seconds', async () => {
  await using rig = await openRig({ connect: () => new Promise(() => undefined) })
  await rig.open({ connectTimeoutMs: 30_000 })
  let tried = false
  const waiting = rig.platforms.tried().then(() => (tried = true))
  await rig.clock.advance(9_999)
  expect(tried).toBe(false)
  await rig.clock.advance(1)
  await waiting
})

test('the end waits until every connection is closed and what it had set up is undone; nothing is opened after it', async () => {
  const done: string[] = []
  const slowly = (what: string) => async () => {
    await new Promise(setImmediate)
    done.push(what)
  }
  await using rig = await openRig({ connection: { close: slowly('closed') }, effect: slowly('undone') })
  // The second takes the place of the first, which is only tried from then on.
  for (const link of [await rig.open(), await rig.open()]) await link.settled
  await rig.platforms.close()
  expect(done).toEqual(['closed', 'closed', 'undone', 'undone'])
  await expect(rig.open()).rejects.toMatchObject({ code: 'INTERRUPTED' })
})

test('a connection that was closed before the end is not closed again', async () => {
  await using rig = await openRig()
  const link = await rig.open()
  await link.settled
  await link.close()
  await rig.platforms.close()
  expect(rig.told.filter((state) => state === 'disconnected')).toHaveLength(1)
})
