import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Home, homeOf } from '#config/home/home.ts'
import { controlPath } from './control-path.ts'
import { describeDoor, findInstance, isWanted, noteStopped, noteWanted, openInstance } from './instance.ts'

const clock = createFakeClock()
let home: Home
beforeEach(() => {
  home = homeOf(mkdtempSync(join(tmpdir(), 'agent-instance-')), 'default')
})
afterEach(() => rmSync(home.path, { recursive: true }))

const stored = () => JSON.parse(readFileSync(home.files.gatewayState, 'utf8'))

test.each([undefined, '', 'Running', 'true', '1', 'running '])(
  'a first boot with the seed %j starts nothing and writes nothing',
  (seed) => {
    expect(isWanted(home, seed, clock)).toBe(false)
    expect(stored).toThrow()
  },
)

test('the seed counts once: later boots ask what is stored', () => {
  expect(isWanted(home, 'running', clock)).toBe(true)
  expect(stored()).toMatchObject({ gateway_state: 'running', pid: null })
  expect(isWanted(home, undefined, clock)).toBe(true)
  noteStopped(home, clock)
  expect(stored()).toMatchObject({ gateway_state: 'stopped', ready: false, platforms: [], queues: [] })
  expect(isWanted(home, 'running', clock)).toBe(false)
  noteWanted(home, clock)
  expect(isWanted(home, undefined, clock)).toBe(true)
})

test('a state that cannot be read starts nothing', () => {
  writeFileSync(home.files.gatewayState, '{"gateway_st')
  expect(isWanted(home, 'running', clock)).toBe(false)
})

test('a second gateway of one home is refused until the first one leaves', async () => {
  const first = openInstance(home, 'boot_1', clock)
  const refusal = (url: string): unknown =>
    expect.objectContaining({ code: 'GATEWAY_RUNNING', params: { pid: process.pid, home: home.path, url } })
  expect(() => openInstance(home, 'boot_2', clock)).toThrow(refusal('still starting'))
  await first.write({ url: '', ready: true, platforms: [], queues: [] })
  expect(() => openInstance(home, 'boot_2', clock)).toThrow(refusal('no HTTP door is open'))
  await first.close()
  await openInstance(home, 'boot_2', clock).close()
})

test('one whose last word cannot be written leaves the home all the same, because its process may go on', async () => {
  const instance = openInstance(home, 'boot_1', clock, { servedBy: 'default' })
  // As a full disk does.
  mkdirSync(join(home.files.gatewayState, 'in the way'), { recursive: true })
  await expect(instance.close()).rejects.toThrow()
  expect(findInstance(home)).toBeUndefined()
})

test('one that another profile serves says so, and what to do', async () => {
  const work = homeOf(join(home.path, 'profiles', 'work'), 'default')
  mkdirSync(work.path, { recursive: true })
  const served = { ...work, profile: 'work' }
  const instance = openInstance(served, 'boot_1', clock, { servedBy: 'default' })
  expect(findInstance(served)).toMatchObject({ servedBy: 'default' })
  expect(() => openInstance(served, 'boot_2', clock)).toThrow('serves work too: agent -p work gateway stop takes it out.')
  await instance.close()
})

test('what a dead gateway left is taken over, whole or not', async () => {
  for (const left of [JSON.stringify({ pid: 2 ** 30, started: '', boot: 'boot_0' }), '{"pid":']) {
    writeFileSync(home.files.gatewayPid, left)
    expect(findInstance(home)).toBeUndefined()
    const instance = openInstance(home, 'boot_1', clock)
    expect(findInstance(home)).toMatchObject({ pid: process.pid, boot: 'boot_1' })
    await instance.close()
    expect(findInstance(home)).toBeUndefined()
  }
})

test('a gateway that finds another one in its home leaves what that wrote', async () => {
  const frozen = openInstance(home, 'boot_1', clock)
  rmSync(home.files.gatewayPid)
  const other = openInstance(home, 'boot_2', clock)
  await other.write({ url: 'http://other', ready: true, platforms: [], queues: [] })
  await frozen.write({ url: 'http://frozen', ready: true, platforms: [], queues: [] })
  await frozen.close()
  expect(findInstance(home)).toMatchObject({ boot: 'boot_2', url: 'http://other' })
  expect(stored()).toMatchObject({ pid: process.pid, url: 'http://other' })
  await other.close()
  expect(stored()).toMatchObject({ pid: null })
})

test('a gateway that ends by itself is still wanted; one that was stopped is wanted again once somebody starts it', async () => {
  const instance = openInstance(home, 'boot_1', clock)
  await instance.write({ url: 'http://x', ready: true, platforms: [], queues: [] })
  expect(stored()).toMatchObject({ gateway_state: 'running', pid: process.pid, url: 'http://x' })
  await instance.close()
  expect(stored()).toMatchObject({ gateway_state: 'running', pid: null, url: '', ready: false })
  noteStopped(home, clock)
  const again = openInstance(home, 'boot_2', clock)
  await again.write({ url: '', ready: true, platforms: [], queues: [] })
  await again.close()
  expect(isWanted(home, undefined, clock)).toBe(true)
})

test('of what is written at once only the last stays, also where the gateway leaves meanwhile', async () => {
  const instance = openInstance(home, 'boot_1', clock)
  const writes = ['http://one', 'http://two', 'http://three'].map((url) => instance.write({ url, ready: true, platforms: [], queues: [] }))
  await Promise.all(writes)
  expect(stored()).toMatchObject({ pid: process.pid, url: 'http://three' })
  const late = instance.write({ url: 'http://late', ready: true, platforms: [], queues: [] })
  await instance.close()
  expect(readdirSync(home.path)).toEqual(['gateway_state.json'])
  await late
  await instance.write({ url: 'http://later', ready: true, platforms: [], queues: [] })
  expect(stored()).toMatchObject({ gateway_state: 'running', pid: null, url: '' })
  expect(readdirSync(home.path)).toEqual(['gateway_state.json'])
})

test('a state that the disk does not take is said, and the next one is tried again', async () => {
  const instance = openInstance(home, 'boot_1', clock)
  const state = { url: '', ready: true, platforms: [], queues: [] }
  mkdirSync(home.files.gatewayState)
  await expect(instance.write(state)).rejects.toMatchObject({ code: 'HOME_UNUSABLE' })
  rmdirSync(home.files.gatewayState)
  await instance.write(state)
  expect(stored()).toMatchObject({ pid: process.pid, ready: true })
  await instance.close()
})

test('the record of a gateway is written again where its address changes, and only then', async () => {
  const instance = openInstance(home, 'boot_1', clock)
  const write = (url: string) => instance.write({ url, ready: true, platforms: [], queues: [] })
  await write('http://one')
  const record = findInstance(home)
  expect(record).toMatchObject({ url: 'http://one', control: controlPath(home.path) })
  expect(record && describeDoor(home, record)).toBe('http://one')
  rmSync(home.files.gatewayPid)
  await write('http://one')
  expect(findInstance(home)).toBeUndefined()
  await write('http://two')
  expect(findInstance(home)).toMatchObject({ url: 'http://two', boot: 'boot_1' })
  await instance.close()
})

test('a socket stands in its home as long as its name has no more than a hundred bytes', () => {
  const long = `/${'x'.repeat(100 - '//gateway.sock'.length)}`
  expect(controlPath(long, 'linux')).toBe(join(long, 'gateway.sock'))
  expect(controlPath(`${long}x`, 'linux').startsWith(tmpdir())).toBe(true)
})
