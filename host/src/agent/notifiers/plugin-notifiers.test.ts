import type { NotifierEvent, OpenNotifier } from '@agent/plugin-sdk'
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { type EventRows, openEventRows } from './event-rows.ts'
import { createPluginNotifiers, type PluginNotifiersOptions } from './plugin-notifiers.ts'

const bell = { id: 'bell', entry: 'dist/bell.js', events: ['bell.rung', 'subagent.end'] }
const manifest = (host: readonly string[] = ['notify']) => ({
  ...{ id: 'toolset-bell', permissions: { host: { value: host } } },
  contributes: { notifiers: [bell] },
})
const contribution = { kind: 'notifier', id: 'bell', spec: bell, plugin: { manifest: manifest() } } as never
const toolset = (host?: readonly string[]) =>
  ({ kind: 'toolset', id: 'bell', spec: { entry: 'dist/tools.js' }, plugin: { manifest: manifest(host) } }) as never
const event: NotifierEvent = { id: 'evt_1', name: 'bell.rung', at: 0, data: null }
const signal = new AbortController().signal

/** What waits, the oldest first. */
const readAll = async (rows: EventRows) => (await Promise.all((await rows.keys()).map(rows.read))).filter((row) => row !== undefined)

async function openRig(hear: OpenNotifier['hear'], { enabled = true, isThere = true } = {}) {
  const place = await createTemporaryStore()
  const store = await place.open()
  const notifiers = createPluginNotifiers({
    catalog: { of: () => (isThere ? [contribution] : []) },
    ...{ store, clock: createSystemClock(), log: silentLog },
    loaded: { config: { notifiers: { bell: { enabled } } }, environment: { secrets: () => ['hunter2hunter2'] } },
    activator: { entry: async () => ({ open: async () => ({ hear }) }) },
    openContext: async () => ({ context: { signal }, close: async () => undefined }),
  } as unknown as PluginNotifiersOptions)
  const waiting = (): Promise<readonly { readonly name: string }[]> => readAll(openEventRows(store.kv))
  return { notifiers, waiting, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

test('what a toolset raises waits on disk for its own notifier, and who waits is told', async () => {
  await using rig = await openRig(async () => [])
  let told = 0
  const leave = rig.notifiers.onRaised(() => told++)
  await rig.notifiers.raise(toolset(), { name: 'bell.rung', data: { by: 'ann' }, session: 'ses_1' })
  leave()
  await rig.notifiers.raise(toolset(), { name: 'bell.rung', data: null })
  expect(await rig.waiting()).toMatchObject([
    { name: 'bell.rung', data: { by: 'ann' }, session: 'ses_1', plugin: 'toolset-bell' },
    { name: 'bell.rung', data: null, plugin: 'toolset-bell' },
  ])
  expect(told).toBe(1)
})

test('where the notifier does not run or is switched off, nothing is written', async () => {
  for (const state of [{ enabled: false }, { isThere: false }]) {
    await using rig = await openRig(async () => [], state)
    await rig.notifiers.raise(toolset(), { name: 'bell.rung', data: null })
    expect([await rig.waiting(), rig.notifiers.running()]).toEqual([[], []])
  }
})

test('a toolset raises what its plugin declares, and nothing that is too long', async () => {
  await using rig = await openRig(async () => [])
  const raise = (name: string, data: string, host?: readonly string[]) => rig.notifiers.raise(toolset(host), { name, data })
  await expect(raise('bell.rung', '', ['sandbox'])).rejects.toThrow('notify')
  await expect(raise('bell.broken', '')).rejects.toThrow('the event bell.broken')
  await expect(raise('bell.rung', 'x'.repeat(20_000))).rejects.toThrow('more than 16384 characters')
  expect(await rig.waiting()).toEqual([])
})

test('what the host tells waits for those that hear of it, masked and bounded, and for nobody else', async () => {
  await using rig = await openRig(async () => [])
  let told = 0
  rig.notifiers.onRaised(() => told++)
  const about = { id: 'child_1', at: 7, name: 'subagent.end', origin: 'agent:main:talk:dm:bot:ann' } as const
  const text = `hunter2hunter2 ${'x'.repeat(9000)}`
  await rig.notifiers.announce({ ...about, data: { task: 'use hunter2hunter2', state: 'completed', text } })
  await rig.notifiers.announce({ ...about, id: 'evt_1', name: 'background.end', data: { kind: 'error', text } })
  const [row, ...rest] = await rig.waiting()
  expect(row).toMatchObject({ ...about, data: { state: 'completed' } })
  expect(JSON.stringify(row)).not.toContain('hunter2')
  expect(JSON.stringify(row).length).toBeLessThan(4500)
  expect([told, rest, row && 'plugin' in row]).toEqual([1, [], false])
})

test('at most a thousand events wait, and the tool goes on', async () => {
  await using rig = await openRig(async () => [])
  for (let round = 0; round < 101; round++)
    await Promise.all(Array.from({ length: 10 }, () => rig.notifiers.raise(toolset(), { name: 'bell.rung', data: null })))
  expect((await rig.waiting()).length).toBeLessThan(1010)
})

test('posts are masked and bounded, and blank ones are none', async () => {
  await using rig = await openRig(async () => [{ text: 'it is hunter2hunter2' }, { text: ' ' }, { text: 'x'.repeat(9000), isError: true }])
  const [first, second, ...rest] = await rig.notifiers.hear(contribution, event, signal)
  expect(first?.text).not.toContain('hunter2')
  expect([second?.isError, (second?.text.length ?? 0) < 4100, rest]).toEqual([true, true, []])
})

test('what is no list of posts is a fault of the plugin, and so are too many', async () => {
  for (const answer of [
    'hello',
    [{ words: 'hello' }],
    [{ text: 'a', isError: 'yes' }],
    Array.from({ length: 21 }, () => ({ text: 'a' })),
  ]) {
    await using rig = await openRig(async () => answer as never)
    await expect(rig.notifiers.hear(contribution, event, signal)).rejects.toThrow(/toolset-bell failed|posts/)
  }
})
