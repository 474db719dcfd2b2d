import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { LinkStatus } from './links/link-status.ts'
import { followPlatforms, type PlatformChangeOptions } from './on-platform-change.ts'
import { talkConnection, talkSpec } from './testing/talk.ts'

function openRig() {
  const did: string[] = []
  const spec = talkSpec({ capabilities: { setCommands: true, listConversations: true } })
  const connection = talkConnection(spec, {
    setCommands: async () => void did.push('menu'),
    listConversations: async () => [],
    identity: async () => ({ id: 'bot', name: 'Bot' }),
  })
  const contribution = { kind: 'platform', id: 'talk', spec } as Contribution<'platform'>
  const clock = createFakeClock()
  const stop = new AbortController()
  const changes = followPlatforms({
    ...{ clock, log: silentLog, signal: stop.signal },
    catalog: { of: (kind: string) => (kind === 'platform' ? [contribution] : []) },
    links: new Map([['talk', { connection: () => connection }]]),
    directory: { list: async () => [], fill: async () => void did.push('listed') },
    status: { write: () => did.push('written') },
    outbox: { onConnected: (platform: string) => did.push(`${platform} sends`) },
  } as unknown as PlatformChangeOptions)
  const change = (state: LinkStatus['state']) => changes.onChange(contribution, { platform: 'talk', state } as LinkStatus)
  return { did, clock, changes, change, stop }
}

test('every change is written down; a platform that connects sends what waited, lists its conversations and gets its menu', async () => {
  const { did, change } = openRig()
  change('retrying')
  expect(did).toEqual(['written'])
  change('connected')
  expect(did.slice(1, 3)).toEqual(['written', 'talk sends'])
  await expect.poll(() => [...did.slice(3)].sort()).toEqual(['listed', 'menu'])
})

test('other commands are put into every menu', async () => {
  const { did, changes } = openRig()
  changes.onCommands()
  await expect.poll(() => did).toEqual(['menu'])
})

test('conversations are listed again every six hours, until the gateway stops', async () => {
  const { did, clock, stop } = openRig()
  await clock.advance(6 * 3_600_000)
  await expect.poll(() => did).toEqual(['listed'])
  stop.abort()
  await clock.advance(6 * 3_600_000)
  expect(did).toEqual(['listed'])
})
