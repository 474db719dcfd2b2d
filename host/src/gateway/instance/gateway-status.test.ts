import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Home, homeOf } from '#config/home/home.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { Link } from '../links/platform-link.ts'
import { openStatusFile, type StatusFile } from './gateway-status.ts'
import { findInstance } from './instance.ts'

let home: Home
let file: StatusFile
const warned: unknown[] = []
const late = { platform: 'late', state: 'starting' }
const connected = { platform: 'talk', state: 'connected' }
const catalog = { of: () => [{ id: 'talk' }, { id: 'late' }] } as unknown as Pick<Catalog, 'of'>
const links = new Map([['talk', { status: () => connected } as unknown as Link]])
beforeEach(() => {
  home = homeOf(mkdtempSync(join(tmpdir(), 'agent-status-')), 'default')
  warned.length = 0
  const log = { ...silentLog, warn: (text: string) => void warned.push(text) }
  file = openStatusFile({ home, owner: 'boot_1', catalog, links, clock: createFakeClock(), log })
})
afterEach(async () => {
  await file.close()
  rmSync(home.path, { recursive: true })
})
const stored = () => JSON.parse(readFileSync(home.files.gatewayState, 'utf8'))

test('a gateway says how it is: its first address, its platforms, and what waits', () => {
  const counts = [{ platform: 'talk', inbox: 1, outbox: 0, unknown: 0 }]
  expect(file.status()).toEqual({ boot: 'boot_1', url: '', queues: [], platforms: [connected, expect.objectContaining(late)] })
  const close = file.onListen({ url: 'http://one' })
  const closeSecond = file.onListen({ url: 'http://two' })
  file.onCounted(counts)
  expect(file.status()).toEqual({
    boot: 'boot_1',
    url: 'http://one',
    queues: counts,
    platforms: [connected, expect.objectContaining(late)],
  })
  file.onReady()
  // What is not open by then will not be.
  expect(file.status().platforms).toEqual([connected])
  closeSecond()
  expect(file.status().url).toBe('http://one')
  close()
  expect(file.status().url).toBe('')
})

test('what it writes is on the disk when that is waited for; it is ready when that is said, and leaves the home with its end', async () => {
  file.onListen({ url: 'http://one' })
  file.write()
  await file.written()
  expect(stored()).toMatchObject({ url: 'http://one', ready: false, platforms: [connected, late], queues: [] })
  file.onReady()
  file.onCounted([{ platform: 'talk', inbox: 1, outbox: 0, unknown: 0 }])
  await file.written()
  expect(stored()).toMatchObject({ ready: true, queues: [{ platform: 'talk', inbox: 1 }] })
  await file.close()
  expect(findInstance(home)).toBeUndefined()
})

test('what the disk does not take is warned about, and the gateway goes on', async () => {
  mkdirSync(home.files.gatewayState)
  file.write()
  await file.written()
  expect(warned).toEqual(['the state of the gateway could not be written'])
  rmdirSync(home.files.gatewayState)
})
