import type { Context } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AnyContribution, type Catalog, createCatalog } from '#kernel/catalog/catalog.ts'
import { createHooks, type HookDispatcher } from '#kernel/hooks/hooks.ts'
import { openPluginFolder, type PluginFolder } from '#kernel/testing/plugin-folder.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createPluginHooks, type PluginHooks } from './plugin-hooks.ts'

let folder: PluginFolder
let hooks: HookDispatcher
let taps: PluginHooks
let contributions: readonly AnyContribution[]
let entry: unknown
let opened: string[]
let clock: FakeClock
let closeContext: () => Promise<void>

beforeEach(async () => {
  folder = openPluginFolder()
  const declared = [{ name: 'tool.before', filter: { tool: ['terminal'] } }, { name: 'turn.before' }]
  const guard = { id: 'guard', entry: 'dist/hooks.guard.js', label: 'Guard', hooks: declared }
  folder.link({ id: 'hooks-guard', api: { hooks: 1 }, contributes: { hooks: [guard] } as never })
  const catalog: Catalog = await folder.load()
  contributions = catalog.contributions()
  clock = createFakeClock()
  hooks = createHooks({ clock, log: silentLog })
  opened = []
  closeContext = async () => undefined
  entry = {
    open: async () => {
      opened.push('opened')
      return { hooks: { 'tool.before': async () => ({ refuse: 'never' }), 'turn.before': async () => ({ instructions: 'Be brief.' }) } }
    },
  }
  taps = createPluginHooks({
    catalog: { of: (kind) => createCatalog([], contributions).of(kind) },
    hooks,
    activator: { entry: async <T>() => entry as T },
    openContext: async () => ({ context: { signal: new AbortController().signal } as Context, close: () => closeContext() }),
    clock,
    newCallId: () => 'call_1',
  })
})
afterEach(async () => {
  await taps.close()
  hooks.close()
  folder[Symbol.dispose]()
})

const call = (tool: string) => hooks.call('tool.before', { turn: 't', session: 's', tool, effect: 'write', args: {}, workspace: '/' })
const turn = () => hooks.call('turn.before', { turn: 't', session: 's', source: 'cli', input: [], instructions: undefined })

test('a plugin is tapped by its manifest, and opened once, by the first event that passes its filter', async () => {
  taps.renew()
  expect(hooks.has('tool.before')).toBe(true)
  expect(await call('read_file')).toBeUndefined()
  expect(opened).toEqual([])
  expect(await call('terminal')).toMatchObject({ plugin: 'hooks-guard', reason: 'never' })
  expect(await turn()).toMatchObject({ instructions: 'Be brief.' })
  expect(opened).toEqual(['opened'])
})

test('a gate that cannot be opened refuses, and what modifies is left out', async () => {
  entry = { open: async () => Promise.reject(fail('PLUGIN_FAILED', { plugin: 'hooks-guard', during: 'activation', detail: 'no luck' })) }
  taps.renew()
  expect((await call('terminal'))?.reason).toContain('no luck')
  expect(await turn()).toMatchObject({ instructions: undefined })
})

test('an entry that lacks a declared hook is a failure, not a silent gap', async () => {
  entry = { open: async () => ({ hooks: {} }) }
  taps.renew()
  expect((await call('terminal'))?.reason).toContain('has no hook tool.before')
})

test('what the catalog has no more is left, and what stays is not opened again', async () => {
  taps.renew()
  await call('terminal')
  taps.renew()
  await call('terminal')
  expect(opened).toEqual(['opened'])
  const before = contributions
  contributions = []
  taps.renew()
  expect(hooks.has('tool.before')).toBe(false)
  contributions = before
  taps.renew()
  expect(hooks.has('tool.before')).toBe(true)
})

test('a hook that never answers refuses in the end, and does not keep its plugin from leaving', async () => {
  entry = { open: async () => ({ hooks: { 'tool.before': () => new Promise(() => undefined) } }) }
  taps.renew()
  const asked = call('terminal')
  await clock.advance(6000)
  expect(await asked).toMatchObject({ plugin: 'hooks-guard' })
  await taps.close()
  expect(hooks.has('tool.before')).toBe(false)
})

test('one that is left waits no longer for a hook than its time', async () => {
  entry = { open: async () => ({ hooks: { 'tool.before': () => new Promise(() => undefined) } }) }
  taps.renew()
  const asked = call('terminal')
  await clock.advance(0)
  const closing = taps.close()
  await clock.advance(6000)
  expect(await asked).toMatchObject({ plugin: 'hooks-guard' })
  await closing
})

test('a hook is told its call, the time that it has and when that is over', async () => {
  const calls: unknown[] = []
  entry = { open: async () => ({ hooks: { 'tool.before': async (_payload: unknown, about: unknown) => void calls.push(about) } }) }
  taps.renew()
  expect(await call('terminal')).toBeUndefined()
  expect(calls).toEqual([{ id: 'call_1', signal: expect.any(AbortSignal), deadline: 10_000 }])
})

test('what is left undoes nothing before what runs of it has answered', async () => {
  let answer = (): void => undefined
  const seen: string[] = []
  closeContext = async () => void seen.push('closed')
  entry = { open: async () => ({ hooks: { 'tool.before': () => new Promise((resolve) => (answer = () => resolve(undefined))) } }) }
  taps.renew()
  const asked = call('terminal').then(() => seen.push('answered'))
  await new Promise((resolve) => setImmediate(resolve))
  const closing = taps.close()
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen).toEqual([])
  answer()
  await Promise.all([asked, closing])
  expect(seen).toEqual(['answered', 'closed'])
})

test('closing waits until what was set up is undone', async () => {
  let isUndone = false
  closeContext = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    isUndone = true
  }
  taps.renew()
  await call('terminal')
  await taps.close()
  expect(isUndone).toBe(true)
})
