// @module-tag server
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Connection, Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addPlatform } from '../../../../test/support/gateways/reload-gateway.ts'
import { importSourceEntry } from '../../../../test/support/source-entry.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { talkSpec } from '../testing/talk.ts'
import type { PlatformForm } from './platform-form.ts'
import { type TriedPlatform, tryPlatform } from './try-platform.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))

let home: TestHome
let done: string[]
let seen: PlatformContext | undefined
beforeEach(() => {
  home = openTestHome()
  done = []
  seen = undefined
  addPlatform(home, 'calm', { singletonLock: 'CALM_TOKEN' })
})
afterEach(() => home[Symbol.dispose]())

const spec = (reach: 'people' | 'owner') => talkSpec({ id: 'calm', label: 'Calm', reach })

interface Attempt {
  readonly identity?: Connection['identity']
  readonly onConnect?: (context: PlatformContext) => void
  readonly plugin?: string
  readonly reach?: 'people' | 'owner'
  readonly provider?: string
  readonly signal?: AbortSignal
}

/** Tries a made-up platform whose plugin nobody has switched on. */
async function attempt(made: Attempt = {}): Promise<TriedPlatform> {
  const { plugin = 'platform-calm', reach = 'people', provider = '', signal = new AbortController().signal } = made
  const platform: Platform = {
    connect: async (context) => {
      seen = context
      made.onConnect?.(context)
      return {
        send: async () => ({ status: 'sent', platformId: '1' }),
        lastHeard: async () => 0,
        ...(made.identity ? { identity: made.identity } : {}),
        close: async () => void done.push('closed'),
      }
    },
  }
  const form = { id: 'calm', label: 'Calm', plugin, spec: spec(reach) } as PlatformForm
  return tryPlatform(
    {
      ...{ installRoot, profile: undefined, signal, note: () => undefined, random: () => 0 },
      environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: provider, CALM_TOKEN: 'old' },
      values: { CALM_TOKEN: 'new' },
      importEntry: async (contribution) =>
        contribution.plugin.source === 'bundled' ? importSourceEntry(contribution) : { default: platform },
    },
    form,
  )
}

test('a platform that nobody has switched on is connected by the values that would be set, says who it is, and is closed', async () => {
  const tried = await attempt({
    identity: async () => {
      done.push(`token ${await seen?.secrets.get('CALM_TOKEN')}`)
      return { id: 'b1', name: 'Bot' }
    },
  })
  expect(tried).toEqual({ identity: { id: 'b1', name: 'Bot' }, needsModel: true })
  expect(done).toEqual(['token new', 'closed'])
  expect(() => home.read('.env')).toThrow()
})

test('a model is needed where other people write and none is chosen', async () => {
  expect(await attempt({ reach: 'owner' })).toMatchObject({ needsModel: false })
  expect(await attempt({ provider: 'offline' })).toMatchObject({ needsModel: false })
})

test('one that connects and cannot say as whom is called by its name; whatever else goes wrong is the answer', async () => {
  expect(await attempt()).toMatchObject({ identity: { id: 'calm', name: 'Calm' } })
  const identity = async () => {
    throw fail('PLATFORM_AUTH', { platform: 'calm', detail: 'the token is old' })
  }
  await expect(attempt({ identity })).rejects.toMatchObject({ code: 'PLATFORM_AUTH' })
  expect(done).toEqual(['closed', 'closed'])
})

test('what refuses to connect says why, and leaves nothing open', async () => {
  const onConnect = () => {
    throw fail('PLATFORM_AUTH', { platform: 'calm', detail: 'no such token' })
  }
  await expect(attempt({ onConnect })).rejects.toMatchObject({ code: 'PLATFORM_AUTH' })
  expect(done).toEqual([])
  await expect(attempt({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'INTERRUPTED' })
})

test('a platform of a plugin that may not run, or that is gone, says why', async () => {
  home.write('config.yaml', JSON.stringify({ plugins: { deny: ['platform-calm'] } }))
  await expect(attempt()).rejects.toMatchObject({
    code: 'PLUGIN_BLOCKED',
    params: { plugin: 'calm', reason: 'plugins.deny lists it', fix: expect.stringContaining('plugins.deny') },
  })
  home.write('config.yaml', '{}')
  home.write(join('plugins', 'local', 'platform-calm', 'agent.plugin.json'), '{')
  await expect(attempt()).rejects.toMatchObject({ code: 'PLUGIN_BLOCKED', params: { plugin: 'calm' } })
})
