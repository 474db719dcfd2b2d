import type { Log } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { Contribution } from '../catalog/catalog.ts'
import type { ExtensionHosts } from '../extension-host/extension-hosts.ts'
import type { StateChange } from '../plugin-state.ts'
import { openPluginFolder, toolsetOf } from '../testing/plugin-folder.ts'
import { createActivator, type EntryModule, type ImportEntry } from './activate.ts'

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }
const good: EntryModule = { default: { open: async () => ({ tools: {} }) } }

async function open(importEntry?: ImportEntry) {
  const folder = openPluginFolder()
  folder.add('bundled', { id: 'toolset-note', contributes: toolsetOf('note') as never })
  const note = (await folder.load()).find('toolset', 'note')
  if (!note) throw new Error('the made-up toolset is not ready')
  const clock = createFakeClock()
  const activator = createActivator({ clock, log: quiet, ...(importEntry && { importEntry }) })
  const changes: string[] = []
  activator.onState(({ from, to, reason }: StateChange) => changes.push([from, to, reason].filter(Boolean).join(' ')))
  return { folder, note, clock, activator, changes, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

test('callers that ask meanwhile share the one import', async () => {
  let imports = 0
  using host = await open(async () => {
    imports += 1
    return good
  })
  const entries = await Promise.all([host.activator.entry(host.note), host.activator.entry(host.note)])
  expect(entries).toEqual([good.default, good.default])
  expect(await host.activator.entry(host.note)).toBe(good.default)
  expect(imports).toBe(1)
  expect(host.changes).toEqual(['ready activating', 'activating active'])
  expect(host.activator.state('toolset:note').state).toBe('active')
  expect(host.clock.sleeping()).toBe(0)
})

test('an activation is written down with what it took', async () => {
  const lines: unknown[] = []
  using host = await open(async () => good)
  const log: Log = { ...quiet, info: (message, fields) => void lines.push([message, fields]) }
  await createActivator({ clock: host.clock, log, importEntry: async () => host.clock.advance(40).then(() => good) }).entry(host.note)
  expect(lines).toEqual([['toolset-note is active', { plugin: 'toolset-note', activated: 'toolset:note', ms: 40, isolated: false }]])
})

test('the file that the manifest names is imported; one that failed is imported again after it was repaired', async () => {
  using host = await open()
  host.folder.write(`${host.note.plugin.root}/dist/toolset.js`, 'throw new Error("no such device")')
  await expect(host.activator.entry(host.note)).rejects.toMatchObject({ code: 'PLUGIN_FAILED', retryAfterMs: 1_000 })
  expect(host.activator.state('toolset-note')).toMatchObject({
    state: 'failed',
    reason: { code: 'activate-error', text: 'its code failed: no such device', fix: 'agent logs errors' },
    retryAt: host.clock.now() + 1_000,
  })
  host.folder.write(`${host.note.plugin.root}/dist/toolset.js`, 'export default { open: async () => ({ tools: {} }) }')
  await host.clock.advance(1_000)
  expect(await host.activator.entry(host.note)).toHaveProperty('open')
  expect(host.activator.state('toolset-note')).toMatchObject({ state: 'active', reason: undefined, retryAt: undefined })
})

test('an import that does not end fails after its budget', async () => {
  using host = await open(() => new Promise(() => {}))
  const asked = host.activator.entry(host.note)
  const refused = expect(asked).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
  await host.clock.advance(10_000)
  await refused
  expect(host.changes).toEqual(['ready activating', 'activating failed activate-timeout'])
  expect(host.activator.state('toolset:note').reason?.fix).toBe('agent plugins disable toolset-note')
})

test('the pauses between tries grow: 1 s, 5 s, 30 s, 5 min and 5 min; asking earlier imports nothing', async () => {
  let imports = 0
  using host = await open(async () => {
    imports += 1
    throw new Error('down')
  })
  const pauses: number[] = []
  for (const tries of [1, 2, 3, 4, 5]) {
    await expect(host.activator.entry(host.note)).rejects.toThrow('its code failed: down')
    await expect(host.activator.entry(host.note)).rejects.toThrow('its code failed: down')
    expect(imports).toBe(tries)
    const pause = (host.activator.state('toolset:note').retryAt ?? 0) - host.clock.now()
    pauses.push(pause)
    await host.clock.advance(pause)
  }
  expect(pauses).toEqual([1_000, 5_000, 30_000, 300_000, 300_000])
})

test.each<[EntryModule, string]>([
  [{}, 'has no default export'],
  [{ default: { connect() {} } }, 'has a default export without open()'],
])('an entry of the wrong shape is named', async (module, problem) => {
  using host = await open(async () => module)
  await expect(host.activator.entry(host.note)).rejects.toThrow(`toolset-note: dist/toolset.js ${problem}`)
  expect(host.activator.state('toolset:note').reason).toMatchObject({
    code: 'entry-shape',
    fix: expect.stringContaining('agent plugins build'),
  })
})

test('a fault after the import is a failure too, and a released one starts again', async () => {
  using host = await open(async () => good)
  await host.activator.entry(host.note)
  host.activator.fault(host.note, new Error('socket closed'))
  expect(host.activator.state('toolset:note')).toMatchObject({ state: 'failed', reason: { text: 'its code failed: socket closed' } })
  await host.clock.advance(1_000)
  await host.activator.entry(host.note)
  const drained: string[] = []
  await host.activator.release(host.note, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    drained.push(host.activator.state('toolset:note').state)
  })
  expect(drained).toEqual(['draining'])
  expect(host.activator.state('toolset:note').state).toBe('inactive')
  await host.activator.entry(host.note)
  expect(host.activator.state('toolset:note').state).toBe('active')
})

test('a closed activator gives nothing out any more', async () => {
  using host = await open(async () => good)
  await host.activator.entry(host.note)
  await host.activator.close()
  expect(host.changes.slice(-2)).toEqual(['active draining', 'draining inactive'])
  await expect(host.activator.entry(host.note as Contribution)).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
})

/** Hosts of children that only remember what they were asked for. */
function openHosts(isolated: (contribution: Contribution) => boolean) {
  const asked: string[] = []
  let lose: (contribution: Contribution, error: unknown) => void = () => undefined
  const hosts = {
    isolates: isolated,
    load: async ({ id }: Contribution, attempt: number) => {
      asked.push(`load ${id} ${attempt}`)
      return { open: async () => ({ tools: {} }) }
    },
    unload: async ({ id }: Contribution) => void asked.push(`unload ${id}`),
    onLost: (listener: typeof lose) => {
      lose = listener
      return () => void asked.push('stop listening')
    },
    close: async () => void asked.push('close'),
  } as unknown as ExtensionHosts
  return { hosts, asked, lose: (contribution: Contribution, error: unknown) => lose(contribution, error) }
}

test('what runs in a child is loaded and unloaded there, and all children end with the activator', async () => {
  using host = await open()
  const { hosts, asked } = openHosts(() => true)
  const activator = createActivator({ clock: host.clock, log: quiet, hosts, importEntry: () => Promise.reject(new Error('imported here')) })
  expect(await activator.entry(host.note)).toHaveProperty('open')
  await activator.release(host.note)
  expect(activator.state('toolset:note').state).toBe('inactive')
  await activator.entry(host.note)
  await activator.retire(host.note)
  await activator.close()
  expect(asked).toEqual(['load note 0', 'unload note', 'load note 0', 'unload note', 'stop listening', 'close'])
})

test('what does not run in a child is not unloaded from one', async () => {
  using host = await open()
  const { hosts, asked } = openHosts(() => false)
  const activator = createActivator({ clock: host.clock, log: quiet, hosts, importEntry: async () => good })
  await activator.entry(host.note)
  await activator.release(host.note)
  expect(asked).toEqual([])
})

test('a child that is lost is a failure of what is active in it, and of nothing else', async () => {
  using host = await open()
  const { hosts, lose } = openHosts(() => true)
  const activator = createActivator({ clock: host.clock, log: quiet, hosts })
  lose(host.note, new Error('killed'))
  expect(activator.state('toolset:note').state).toBe('ready')
  await activator.entry(host.note)
  lose(host.note, new Error('killed'))
  expect(activator.state('toolset:note')).toMatchObject({ state: 'failed', reason: { text: expect.stringContaining('killed') } })
})

test('what is retired is forgotten: asked for again it begins again', async () => {
  using host = await open(async () => good)
  await host.activator.entry(host.note)
  await host.activator.retire(host.note)
  expect(host.activator.state('toolset:note').state).toBe('ready')
  expect(host.activator.state('toolset-note').state).toBe('ready')
})

test('a release drains first, and is over also where that fails', async () => {
  using host = await open(async () => good)
  await host.activator.entry(host.note)
  const states: string[] = []
  const drain = async (): Promise<void> => {
    states.push(host.activator.state('toolset:note').state)
    throw new Error('it does not end')
  }
  await expect(host.activator.release(host.note, drain)).rejects.toThrow('it does not end')
  expect([...states, host.activator.state('toolset:note').state]).toEqual(['draining', 'inactive'])
})
