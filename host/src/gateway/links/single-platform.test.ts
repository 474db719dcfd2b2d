import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection, Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEnvironment } from '#config/environment/environment.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { homeOf } from '#config/home/home.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { silentLog } from '#observe/silent-log.ts'
import { openMediaCache } from '../media/media-cache.ts'
import { talkSpec } from '../testing/talk.ts'
import { openSinglePlatform } from './single-platform.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-single-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const spec = talkSpec({ singletonLock: 'TALK_TOKEN' })
const contribution = {
  kind: 'platform',
  id: 'talk',
  spec,
  plugin: { manifest: { id: 'platform-talk' } },
} as unknown as Contribution<'platform'>

function optionsFor(connect: Platform['connect'], platforms: Loaded['config']['platforms'] = {}, signal = new AbortController().signal) {
  const clock = createFakeClock()
  const home = homeOf(folder, 'default')
  const environment = openEnvironment({ TALK_TOKEN: 'secret-token' }, {}, [{ name: 'TALK_TOKEN', secret: true }])
  return {
    ...{ home, clock, signal, random: () => 0, log: silentLog, locks: join(folder, 'locks') },
    loaded: { config: { ...defaultConfig, platforms }, environment } as unknown as Loaded,
    activator: { entry: async <T>() => ({ connect }) as T },
    createContext: async () => ({ log: silentLog }) as never,
    files: openMediaCache(home.files.cache, clock),
  }
}

const connection = (more: Partial<Connection> = {}): Connection => ({
  lastHeard: async () => 0,
  close: async () => undefined,
  ...more,
})

test('a platform connects, receives nothing meanwhile, opens no door, and closes', async () => {
  let context: PlatformContext | undefined
  let closed = 0
  const connect: Platform['connect'] = async (given) => {
    context = given
    return connection({ identity: async () => ({ id: 'b', name: 'Bot' }), close: async () => void closed++ })
  }
  {
    await using platform = await openSinglePlatform(optionsFor(connect), contribution)
    const call = { signal: new AbortController().signal, deadline: 0 } as never
    expect(await platform.connection()?.identity(call)).toEqual({ id: 'b', name: 'Bot' })
    expect(await context?.receive({} as never)).toMatchObject({ status: 'busy' })
    expect(await context?.press({} as never)).toMatchObject({ status: 'late' })
    expect(await context?.http.route('/talk', () => expect.unreachable())).toEqual({ url: 'http://127.0.0.1:8644/talk' })
    expect(await context?.http.listen({ host: '127.0.0.1', port: 8900, maxBodyBytes: 1 }, () => expect.unreachable())).toEqual({
      ...{ url: 'http://127.0.0.1:8900', port: 8900 },
    })
    expect(() => context?.turns.run({} as never, {} as never)).toThrow('No gateway runs')
    await expect(openSinglePlatform(optionsFor(connect), contribution)).rejects.toMatchObject({ code: 'CREDENTIAL_IN_USE' })
  }
  expect(closed).toBe(1)
  await (await openSinglePlatform(optionsFor(connect), contribution))[Symbol.asyncDispose]()
})

test('the first failure is told and nothing is tried again', async () => {
  let attempts = 0
  const refuse: Platform['connect'] = async () => {
    attempts += 1
    throw fail('PLATFORM_UNREACHABLE', { platform: 'Talk', detail: 'no route' })
  }
  await expect(openSinglePlatform(optionsFor(refuse), contribution)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(attempts).toBe(1)
})

test('settings that contradict themselves are refused before anything is sent', async () => {
  const platforms = { talk: { group_policy: 'open' } } as const
  const opening = openSinglePlatform(
    optionsFor(() => expect.unreachable(), platforms),
    contribution,
  )
  await expect(opening).rejects.toMatchObject({ code: 'CONFIG_VALUE_INVALID' })
})

test('a setting that is not used is no reason to stay away', async () => {
  const options = optionsFor(async () => connection())
  const environment = openEnvironment({ TALK_TOKEN: 'secret-token', TALK_BATCH_MS: '-1' }, {}, [{ name: 'TALK_TOKEN', secret: true }])
  await using platform = await openSinglePlatform({ ...options, loaded: { ...options.loaded, environment } }, contribution)
  expect(platform.connection()).toBeDefined()
})

test('a connection that hears nothing for as long as the settings allow is made again', async () => {
  let connects = 0
  const options = optionsFor(async () => {
    connects += 1
    return connection()
  })
  await using _ = await openSinglePlatform(options, { ...contribution, spec: talkSpec({ reception: 'continuous' }) })
  const timeoutMs = defaultConfig.gateway.receive_timeout * 1000
  await options.clock.advance(timeoutMs - 1)
  expect(connects).toBe(1)
  // An attempt that heard nothing at all is repeated after a pause.
  await options.clock.advance(5_000)
  expect(connects).toBe(2)
})

test('who gives up while it connects is not kept waiting', async () => {
  const stop = new AbortController()
  const connect: Platform['connect'] = (_, call) =>
    new Promise((_resolve, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason)))
  const opening = openSinglePlatform(optionsFor(connect, {}, stop.signal), contribution)
  stop.abort()
  await expect(opening).rejects.toMatchObject({ code: 'INTERRUPTED' })
})
