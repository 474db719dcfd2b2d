import type { Provider, ProviderContext, Toolset } from '@agent/plugin-sdk'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { createChildrenInProcess } from './testing/children-in-process.ts'
import { type ExtensionRig, newCall, openExtensionRig, type RigPlugin, toolSource } from './testing/extension-rig.ts'

/** Waits a fiftieth of what it is told; limits of time stay as they are, so that a busy machine passes none. */
const quick = { ...systemClock, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms < 10_000 ? ms / 50 : ms, signal) }
const rigs: ExtensionRig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig[Symbol.asyncDispose]()
})

async function open(plugins: readonly RigPlugin[]) {
  const { start, children } = createChildrenInProcess()
  const rig = await openExtensionRig({ program: '/child.mjs', startChild: start, clock: quick, plugins })
  rigs.push(rig)
  const faults = (plugin: string): number | undefined => rig.hosts.status().find((one) => one.plugin === plugin)?.faults
  /** Fails when called, until its child was crashed by the test. */
  const hang = (id: string): Promise<string> => rig.run(id, { hang: true })
  return { rig, children, faults, hang }
}

const tool = 'if (args.hang) await new Promise(() => {}); return "done"'
const mine: RigPlugin = { id: 'mine', tool }
const calm: RigPlugin = { id: 'calm', tool }
const other: RigPlugin = {
  ...{ id: 'other', tool },
  manifest: { permissions: { net: { value: ['example.org'], reason: 'It is told apart by it.' } } },
}
const pluginsOf = ({ hosts }: ExtensionRig): readonly (readonly string[])[] => hosts.children().map(({ plugins }) => plugins)

test('plugins of one permission set share a child, another set gets its own; closing ends them all', async () => {
  const { rig, children } = await open([mine, calm, other])
  expect(await Promise.all([rig.run('mine'), rig.run('calm'), rig.run('other')])).toEqual(['done', 'done', 'done'])
  expect(pluginsOf(rig)).toEqual([['calm', 'mine'], ['other']])
  expect(rig.hosts.children()[0]).toMatchObject({ pid: 5_000, silent: false, isolation: 'process', startMs: expect.any(Number) })
  expect(rig.hosts.status()).toMatchObject([
    { plugin: 'calm', isolation: 'process', faults: 0, lastFault: undefined, child: { pid: 5_000 } },
    { plugin: 'mine', child: { pid: 5_000 } },
    { plugin: 'other', child: { pid: 5_001 } },
  ])
  const contribution = rig.contribution('toolset', 'mine')
  expect(await rig.hosts.inspect(contribution)).toEqual({ busy: 0, contexts: 2, resources: ['Timeout'] })
  await rig.hosts.close()
  expect(children.map(({ killed }) => killed)).toEqual([false, false])
  expect(rig.hosts.children()).toEqual([])
  await expect(rig.hosts.load(contribution, 0)).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
})

test('a crash ends the calls of its child alone, is charged to who did it, and the next use starts a new one', async () => {
  const { rig, children, faults, hang } = await open([mine, calm, other])
  await Promise.all([rig.run('mine'), rig.run('calm'), rig.run('other')])
  const lost: string[] = []
  const stop = rig.hosts.onLost(({ id }, error) => lost.push(`${id}: ${error.message}`))
  const hanging = hang('mine')
  const [child] = children
  child?.server.blame(`Error\n at ${rig.contribution('toolset', 'mine').plugin.root}/dist/toolset.js:1`, 'out of luck')
  await new Promise((resolve) => setImmediate(resolve))
  child?.crash()
  await expect(hanging).rejects.toMatchObject({ code: 'PLUGIN_FAILED', params: { detail: 'out of luck' } })
  await rig.until(() => faults('mine') === 1)
  expect([faults('calm'), faults('other')]).toEqual([0, 0])
  expect(rig.hosts.status().find(({ plugin }) => plugin === 'mine')).toMatchObject({ lastFault: 'out of luck', child: undefined })
  await rig.until(() => lost.length === 2)
  expect(lost.map((line) => line.split(':')[0]).sort()).toEqual(['calm', 'mine'])
  stop()
  expect(rig.lines).toContainEqual(expect.stringContaining('a child ended: out of luck'))
  expect(await rig.run('other')).toBe('done')
  rig.skip(1000)
  expect(await rig.run('mine')).toBe('done')
  expect(children).toHaveLength(3)
})

test('a crash that nobody is to blame for is charged to all in the child', async () => {
  const { rig, children, faults } = await open([mine, calm])
  await Promise.all([rig.run('mine'), rig.run('calm')])
  children[0]?.server.blame('Error\n at nowhere.js:1', 'who knows')
  await new Promise((resolve) => setImmediate(resolve))
  children[0]?.crash()
  await rig.until(() => faults('mine') === 1 && faults('calm') === 1)
  expect(pluginsOf(rig)).toEqual([])
})

test('a child cannot blame a plugin of another child', async () => {
  const { rig, children, faults } = await open([mine, other])
  await Promise.all([rig.run('mine'), rig.run('other')])
  const lie = JSON.stringify({ t: 'note', to: 'parent/blame', p: { v: ['other', 'it was not me'] } })
  const head = Buffer.alloc(4)
  head.writeUInt32BE(lie.length)
  children[0]?.write(Buffer.concat([head, Buffer.from(lie)]))
  await new Promise((resolve) => setImmediate(resolve))
  children[0]?.crash()
  await rig.until(() => faults('mine') === 1)
  expect(faults('other')).toBe(0)
})

test('of several plugins in a child, one whose error nobody caught is put away and the others go on', async () => {
  const { rig, children, faults, hang } = await open([mine, calm])
  await Promise.all([rig.run('mine'), rig.run('calm')])
  const hanging = hang('mine')
  const stack = `Error\n at ${rig.contribution('toolset', 'mine').plugin.root}/dist/toolset.js:1`
  expect(children[0]?.server.survive(stack, 'from a timer')).toBe(true)
  await expect(hanging).rejects.toMatchObject({ code: 'PLUGIN_FAILED', params: { plugin: 'mine', detail: 'from a timer' } })
  await rig.until(() => faults('mine') === 1)
  expect(rig.lines).toContainEqual(expect.stringMatching(/^error mine failed: from a timer/))
  expect([await rig.run('calm'), faults('calm')]).toEqual(['done', 0])
  rig.skip(1000)
  expect(await rig.run('mine')).toBe('done')
  expect(children).toHaveLength(2)
  expect(pluginsOf(rig)).toEqual([['calm', 'mine'], ['mine']])
})

test('an error that nobody caught ends a child with one plugin, and one that goes on like that without a name', async () => {
  const { rig, children } = await open([mine, calm, other])
  await Promise.all([rig.run('mine'), rig.run('calm'), rig.run('other')])
  const [shared, single] = children
  expect(single?.server.survive(`at ${rig.contribution('toolset', 'other').plugin.root}/dist/toolset.js:1`, 'lost')).toBe(false)
  expect([1, 2, 3, 4].map(() => shared?.server.survive('at nowhere.js', 'lost'))).toEqual([true, true, true, false])
})

test('the second crash parts a plugin from the others, the fifth puts it into quarantine until a person lifts that', async () => {
  const { rig, children, faults } = await open([mine, calm])
  const contribution = rig.contribution('toolset', 'mine')
  const stack = `Error\n at ${contribution.plugin.root}/dist/toolset.js:1`
  for (let count = 1; count <= 5; count++) {
    await rig.hosts.load(contribution, 0)
    const child = children.at(-1)
    child?.server.blame(stack, `crash ${count}`)
    await new Promise((resolve) => setImmediate(resolve))
    child?.crash()
    await rig.until(() => faults('mine') === count)
    if (count < 2) continue
    await rig.run('calm')
    expect(pluginsOf(rig)).toEqual([['calm']])
  }
  await rig.until(() => rig.quarantined.has('mine'))
  expect(rig.quarantined.get('mine')).toMatchObject({ faults: 5, detail: 'crash 5', since: expect.any(Number) })
  expect(rig.lines).toContainEqual(expect.stringContaining('mine is quarantined: crash 5. agent plugins enable mine lifts it.'))
  await expect(rig.hosts.load(contribution, 0)).rejects.toMatchObject({
    code: 'PLUGIN_BLOCKED',
    params: { fix: 'agent plugins enable mine', reason: expect.stringContaining('crash 5') },
  })
  rig.skip(300_000)
  await expect(rig.activator.entry(contribution)).rejects.toMatchObject({ code: 'PLUGIN_BLOCKED' })
  expect(rig.activator.state('mine').reason).toMatchObject({ code: 'quarantined', fix: 'agent plugins enable mine' })
  rig.lift('mine')
  await rig.hosts.load(contribution, 0)
  expect([faults('mine'), faults('calm')]).toEqual([0, 0])
})

test('who is told of what was lost finds the quarantine written', async () => {
  const { rig, children } = await open([mine])
  const contribution = rig.contribution('toolset', 'mine')
  const found: boolean[] = []
  rig.hosts.onLost(({ id }) => found.push(rig.quarantined.has(id)))
  for (let count = 1; count <= 5; count++) {
    await rig.hosts.load(contribution, 0)
    children.at(-1)?.crash()
    await rig.until(() => found.length === count)
  }
  expect(found).toEqual([false, false, false, false, true])
})

test('a plugin that comes while a child of its permissions runs gets another one, since permissions are given at the start', async () => {
  const { rig } = await open([mine, calm])
  const all = rig.catalog.plugins.flatMap(({ installed }) => installed ?? [])
  rig.change({ plugins: all.filter(({ manifest }) => manifest.id === 'mine') })
  await rig.run('mine')
  rig.change({ plugins: all })
  await rig.run('calm')
  expect(pluginsOf(rig)).toEqual([['mine'], ['calm']])
})

test('code that failed is read again at each try', async () => {
  const { rig } = await open([{ id: 'mine', source: 'throw new Error("first")' }])
  const contribution = rig.contribution('toolset', 'mine')
  const file = `${contribution.plugin.root}/dist/toolset.js`
  await expect(rig.activator.entry(contribution)).rejects.toThrow(/first/)
  rig.folder.write(file, 'throw new Error("second")')
  rig.skip(1000)
  await expect(rig.activator.entry(contribution)).rejects.toThrow(/second/)
  rig.folder.write(file, toolSource('mine', 'return "done"'))
  rig.skip(5000)
  expect(await rig.run('mine')).toBe('done')
})

test('new code runs in a new child; the old one ends when its last entry is released', async () => {
  const { rig, children } = await open([mine, calm])
  await Promise.all([rig.run('mine'), rig.run('calm')])
  const contribution = rig.contribution('toolset', 'mine')
  rig.hosts.renew('mine')
  await rig.activator.release(contribution)
  await rig.activator.entry(contribution)
  expect(pluginsOf(rig)).toEqual([['calm', 'mine'], ['mine']])
  rig.hosts.renew('mine')
  await rig.activator.release(contribution)
  expect(pluginsOf(rig)).toEqual([['calm', 'mine']])
  expect([await rig.run('calm'), children.map(({ killed }) => killed)]).toEqual(['done', [false, false]])
})

test.each([
  ['mine', 'calm'],
  ['calm', 'mine'],
])('new code of %s leaves the child that it shared to %s', async (renewed, kept) => {
  const { rig, children } = await open([mine, calm])
  await Promise.all([rig.run('mine'), rig.run('calm')])
  rig.hosts.renew(renewed)
  const contribution = rig.contribution('toolset', kept)
  await rig.activator.release(contribution)
  await rig.activator.entry(contribution)
  expect([children.length, pluginsOf(rig)]).toEqual([1, [['calm', 'mine']]])
})

test('an entry of the wrong shape and one that throws are told apart, and what was not loaded keeps no child', async () => {
  const shape: RigPlugin = { id: 'shape', source: 'export default {}' }
  const broken: RigPlugin = { id: 'broken', source: 'throw new Error("no such device")' }
  const { rig, children } = await open([shape, broken])
  await expect(rig.run('shape')).rejects.toMatchObject({ code: 'PLUGIN_SHAPE', params: { entry: 'dist/toolset.js' } })
  await expect(rig.run('broken')).rejects.toThrow(/no such device/)
  expect(children).toHaveLength(1)
  await rig.hosts.unload(rig.contribution('toolset', 'shape'))
  expect(rig.hosts.children()).toHaveLength(1)
  await rig.hosts.unload(rig.contribution('toolset', 'broken'))
})

test('a child of which nothing could be loaded ends with the first that is let go, and no child of others does', async () => {
  const shape: RigPlugin = { id: 'shape', source: 'export default {}' }
  const { rig, children } = await open([shape, other])
  const [failing, contribution] = [rig.contribution('toolset', 'shape'), rig.contribution('toolset', 'other')]
  await expect(rig.hosts.load(failing, 0)).rejects.toMatchObject({ code: 'PLUGIN_SHAPE' })
  await rig.hosts.load(contribution, 0)
  await rig.hosts.unload(failing)
  expect(pluginsOf(rig)).toEqual([['other']])
  expect(children.map(({ killed }) => killed)).toEqual([false, false])
  // What runs from another folder under the same name is somebody else.
  await expect(rig.hosts.load(failing, 1)).rejects.toMatchObject({ code: 'PLUGIN_SHAPE' })
  await rig.hosts.unload({ ...failing, plugin: { ...failing.plugin, root: `${failing.plugin.root}-new` } })
  expect(pluginsOf(rig)).toEqual([['other'], ['shape']])
  await rig.hosts.unload(contribution)
  expect([pluginsOf(rig), children.map(({ over }) => over)]).toEqual([[['shape']], [true, true, false]])
})

test('what a child prints is logged with its plugins, garbage on its pipe ends it by name', async () => {
  const { rig, children, faults } = await open([mine, calm])
  await rig.run('mine')
  children[0]?.say('hello')
  expect(rig.lines).toContainEqual('info hello {"plugin":"calm, mine"}')
  children[0]?.write(Buffer.from([0x7f, 255, 255, 255, 1]))
  await rig.until(() => faults('mine') === 1)
  expect(rig.hosts.status().find(({ plugin }) => plugin === 'mine')?.lastFault).toMatch(/^it broke the border: /)
})

test('a child that takes more memory than it may is ended, and what it takes is listed', async () => {
  const { rig, children, faults } = await open([{ ...mine, entry: { memory_mb: 96 } }])
  await rig.run('mine')
  expect(rig.hosts.children()[0]).toMatchObject({ memoryLimit: 96 * 1024 * 1024 })
  const [child] = children
  if (child) child.bytes = 100 * 1024 * 1024
  await rig.until(() => faults('mine') === 1)
  expect(child?.killed).toBe(true)
  expect(rig.hosts.status()[0]?.lastFault).toBe('it took 100 MiB of memory, of 96 MiB that it may take')
})

test('a provider whose child dies fails the turn like a broken connection, and answers the next one from a new child', async () => {
  const source = `export default { open: async () => ({ stream: async function* (request) {
    yield { type: 'text', delta: 'a' }
    if (request.model === 'bad') await new Promise(() => {})
    yield { type: 'end', reason: 'stop', usage: { inputTokens: 0, outputTokens: 0 } }
  } }) }`
  const spec = { id: 'mine', label: 'Mine', entry: 'dist/provider.js', auth: 'none' }
  const { rig, children } = await open([{ id: 'mine', source, manifest: { contributes: { providers: [spec] } as never } }])
  const contribution = rig.contribution('provider', 'mine')
  const entry = await rig.activator.entry<Provider>(contribution)
  const model = await entry.open(rig.context(contribution).context as ProviderContext, newCall())
  const ask = async (name: string, onFirst?: () => void): Promise<unknown[]> => {
    const events: unknown[] = []
    for await (const event of model.stream({ model: name } as never, newCall())) if (events.push(event) === 1) onFirst?.()
    return events
  }
  expect(await ask('good')).toMatchObject([{ type: 'text' }, { type: 'end' }])
  const failed = await ask('bad', () => children[0]?.crash())
  expect(failed.at(-1)).toMatchObject({ type: 'failed', class: 'disconnected', error: { code: 'MODEL_DISCONNECTED' } })
  await rig.until(() => rig.activator.state('mine').state === 'failed')
  expect(await ask('good')).toMatchObject([{ type: 'failed', class: 'disconnected', error: { retryAfterMs: expect.any(Number) } }])
  rig.skip(1000)
  expect(await ask('good')).toMatchObject([{ type: 'text' }, { type: 'end' }])
  expect(children).toHaveLength(2)
})

test('the effects of a context are undone in its child before that ends', async () => {
  const source = `export default { open: async (context) => {
    context.effect(() => context.log.info('undone ' + context.signal.aborted))
    return { tools: { mine: async () => ({ ok: true, text: 'done' }) } }
  } }`
  const { rig } = await open([{ id: 'mine', source }])
  const contribution = rig.contribution('toolset', 'mine')
  const { context, ledger } = rig.context(contribution)
  const toolset = await (await rig.activator.entry<Toolset>(contribution)).open(context as never, newCall())
  expect(await toolset.tools.mine?.({ args: {} } as never, newCall())).toMatchObject({ text: 'done' })
  expect(await rig.hosts.inspect(contribution)).toMatchObject({ contexts: 1 })
  await ledger.dispose()
  expect(rig.lines).toContainEqual(expect.stringContaining('undone true'))
  expect(await rig.hosts.inspect(contribution)).toMatchObject({ contexts: 0 })
})

test('an entry is loaded once, and who waits for a child that dies is told, each context for itself', async () => {
  const { rig, children } = await open([mine])
  const contribution = rig.contribution('toolset', 'mine')
  const [one, other] = await Promise.all([rig.hosts.load(contribution, 0), rig.hosts.load(contribution, 0)])
  expect(one).toBe(other)
  const lost: unknown[] = []
  const { context, ledger } = rig.context(contribution)
  await (await rig.activator.entry<Toolset>(contribution)).open({ ...context, lost: (end: unknown) => lost.push(end) } as never, newCall())
  children[0]?.crash()
  await rig.until(() => rig.activator.state('mine').state === 'failed')
  expect(lost).toMatchObject([{ retryable: true, error: { code: 'PLUGIN_FAILED' } }])
  await ledger.dispose()
  expect(rig.lines.filter((line) => line.includes('not undone'))).toEqual([])
})

test('who holds something of a plugin that is put away is told, and nobody who holds a part of its neighbours', async () => {
  const { rig, children } = await open([mine, calm])
  const lost: string[] = []
  for (const id of ['mine', 'calm']) {
    const contribution = rig.contribution('toolset', id)
    const context = { ...rig.context(contribution).context, lost: () => lost.push(id) }
    await (await rig.activator.entry<Toolset>(contribution)).open(context as never, newCall())
  }
  const stack = `Error\n at ${rig.contribution('toolset', 'mine').plugin.root}/dist/toolset.js:1`
  children[0]?.server.survive(stack, 'from a timer')
  await rig.until(() => lost.length > 0)
  expect(lost).toEqual(['mine'])
})

test('what a plugin that was put away leaves is undone once, without a complaint', async () => {
  const source = `export default { open: async (context) => {
    context.effect(() => context.log.info('undone ' + context.signal.aborted))
    return { tools: { mine: async () => ({ ok: true, text: 'done' }) } }
  } }`
  const { rig, children, faults } = await open([{ id: 'mine', source }, calm])
  const contribution = rig.contribution('toolset', 'mine')
  const { context, ledger } = rig.context(contribution)
  await (await rig.activator.entry<Toolset>(contribution)).open(context as never, newCall())
  await rig.run('calm')
  children[0]?.server.survive(`Error\n at ${contribution.plugin.root}/dist/toolset.js:1`, 'from a timer')
  await rig.until(() => faults('mine') === 1)
  await ledger.dispose()
  expect(rig.lines.filter((line) => line.includes('undone'))).toEqual([expect.stringContaining('undone true')])
})

test('where no sandbox can be made, a plugin runs beside the agent, unless a sandbox is required', async () => {
  const { start } = createChildrenInProcess()
  const none = { program: '/child.mjs', startChild: start, clock: quick, bwrap: '/nothing/bwrap' }
  const rig = await openExtensionRig({ ...none, plugins: [mine], sandbox: 'auto' })
  const strict = await openExtensionRig({ ...none, plugins: [mine], sandbox: 'required' })
  rigs.push(rig, strict)
  expect(await rig.run('mine')).toBe('done')
  await expect(strict.run('mine')).rejects.toMatchObject({ code: 'PLUGIN_BLOCKED' })
})
