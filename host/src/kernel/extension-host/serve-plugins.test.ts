import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Context, OpenToolset, ToolContext, Toolset } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { linkPair, openRemote } from './border.ts'
import type { ChildDoor, LoadSpec } from './child-contract.ts'
import { servePlugins } from './serve-plugins.ts'
import { newCall, toolSource } from './testing/extension-rig.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'serve-plugins-'))
  await writeFile(join(root, 'package.json'), '{ "type": "module" }')
})
afterEach(() => rm(root, { recursive: true }))

/** Both sides of the border in one process. */
function serve() {
  const [ours, theirs] = linkPair()
  const [imported, fetched, handles]: [string[], string[], string[]] = [[], [], []]
  const told: unknown[][] = []
  const faults: Error[] = []
  const server = servePlugins({
    ...{ link: theirs, clock: systemClock, memory: () => 42, resources: () => ['Timeout', 'TCPSocketWrap'] },
    onFault: (error) => void faults.push(error),
    fetch: async (url) => {
      fetched.push(String(url))
      return new Response('hello')
    },
    importModule: (url) => {
      imported.push(url)
      return import(/* @vite-ignore */ url)
    },
  })
  const parent = {
    blame: (plugin: string | null, detail: string) => told.push(['blame', plugin, detail]),
    fault: (plugin: string, detail: string) => told.push(['fault', plugin, detail]),
    request: (plugin: string, request: object) => told.push(['request', plugin, request]),
  }
  const remote = openRemote({
    ...{ link: ours, offers: { parent: { as: 'parent', object: parent } } },
    hand: (name, object, handle) => {
      if (name === 'pluginContext') handles.push(handle)
      return object
    },
  })
  const door = remote.proxy('child', 'child') as ChildDoor
  return { server, remote, door, imported, fetched, handles, told, faults }
}

async function specOf(plugin: string, source = toolSource(plugin, 'return "done"')): Promise<LoadSpec> {
  const file = join(root, `${plugin}.js`)
  await writeFile(file, source)
  return { name: `toolset.${plugin}`, plugin, kind: 'toolset', file, entry: 'dist/toolset.js', attempt: 0, root, net: 'none' }
}

const context = { about: { plugin: 'mine' }, config: {} } as Context & ToolContext
const toolCall = {
  ...{ id: 'tc', args: {} as never, session: 's', turn: 't', workspace: '/' },
  progress: () => undefined,
  ask: async () => '',
}

test('what is not served any more cannot be opened, and what is served beside it can', async () => {
  const { remote, door } = serve()
  const specs = await Promise.all([specOf('mine'), specOf('calm')])
  for (const spec of specs) await door.load(spec)
  const [mine, calm] = specs.map(({ name }) => remote.proxy(name, 'toolset') as Toolset)
  expect(Object.keys((await mine?.open(context, newCall()))?.tools ?? {})).toEqual(['mine'])
  await door.unload('toolset.mine')
  await expect(mine?.open(context, newCall())).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  expect(Object.keys((await calm?.open(context, newCall()))?.tools ?? {})).toEqual(['calm'])
})

test('with a context ends what was opened for it: its signal first, then its effects from the last to the first', async () => {
  const { remote, door, handles } = serve()
  const source = `export default { open: async (context) => {
    const said = []
    context.effect(() => said.push('first'))
    context.effect(() => { throw new Error('it is stuck: ' + context.signal.aborted) })
    context.effect(() => said.push('last'))
    return { tools: { mine: async () => ({ ok: true, text: said.join() }) } }
  } }`
  await door.load(await specOf('mine', source))
  const toolset = remote.proxy('toolset.mine', 'toolset') as Toolset
  const [one, other] = [await toolset.open({ ...context }, newCall()), await toolset.open({ ...context }, newCall())]
  const run = (opened: OpenToolset): unknown => opened.tools.mine?.(toolCall, newCall())
  expect(await run(one)).toEqual({ ok: true, text: '' })
  expect(await door.end(handles[0] ?? '')).toEqual(['it is stuck: true'])
  await expect(run(one)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  expect(await run(other)).toEqual({ ok: true, text: '' })
  expect(await door.end(handles[0] ?? '')).toEqual([])
})

test('code reaches the network as far as the manifest of its plugin allows', async () => {
  const { remote, door, fetched, told } = serve()
  const reaching = (id: string): string => `export default { open: async (context) => ({ tools: {
    ${id}: async () => ({ ok: true, text: await (await context.fetch('https://example.org/x')).text() }) } }) }`
  await door.load({ ...(await specOf('calm', reaching('calm'))), net: 'none' })
  await door.load({ ...(await specOf('mine', reaching('mine'))), net: ['example.org'] })
  const run = async (plugin: string): Promise<unknown> => {
    const toolset = remote.proxy(`toolset.${plugin}`, 'toolset') as Toolset
    return (await toolset.open({ ...context, about: { plugin } } as never, newCall())).tools[plugin]?.(toolCall, newCall())
  }
  expect(await run('mine')).toEqual({ ok: true, text: 'hello' })
  await expect(run('calm')).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED' })
  expect(fetched).toEqual(['https://example.org/x'])
  const request = { method: 'GET', host: 'example.org', path: '/x', status: 200, ms: expect.any(Number) }
  await expect.poll(() => told).toEqual([['request', 'mine', request]])
})

test('a try after a failed one reads the code again', async () => {
  const { door, imported } = serve()
  const spec = await specOf('mine', 'throw new Error("no such device")')
  await expect(door.load(spec)).rejects.toThrow(/no such device/)
  await specOf('mine')
  await door.load({ ...spec, attempt: 1 })
  expect(imported.map((url) => new URL(url).search)).toEqual(['', '?attempt=1'])
})

test('an entry without the members of its kind is refused by name', async () => {
  const { door } = serve()
  const spec = await specOf('mine', 'export default { connect: async () => ({}) }')
  await expect(door.load(spec)).rejects.toMatchObject({ code: 'PLUGIN_SHAPE', params: { plugin: 'mine', entry: 'dist/toolset.js' } })
})

test('an error is charged to the plugin whose file stands in the stack, and to nobody else', async () => {
  const { server, door, told } = serve()
  const [mine, calm] = [join(root, 'mine'), join(root, 'calm')]
  await door.load({ ...(await specOf('mine')), root: mine })
  expect(server.survive(`at ${mine}/dist/x.js:1`, 'alone')).toBe(false)
  await door.load({ ...(await specOf('calm')), root: calm })
  expect(server.survive(`at ${mine}/dist/x.js:1`, 'by its path')).toBe(true)
  expect(server.survive(`at ${pathToFileURL(calm).href}/dist/x.js:1`, 'by its address')).toBe(true)
  server.blame(`at ${mine}-other/x.js:1`, 'by a longer name')
  expect([1, 2, 3, 4].map(() => server.survive('at nowhere.js', 'who knows'))).toEqual([true, true, true, false])
  await door.ping()
  expect(told).toEqual([
    ['fault', 'mine', 'by its path'],
    ['fault', 'calm', 'by its address'],
    ['blame', null, 'by a longer name'],
  ])
})

test('it says what it takes, what it does and what keeps it alive', async () => {
  const { door } = serve()
  expect([await door.ping(), await door.busy(), await door.resources()]).toEqual([42, 0, ['Timeout', 'TCPSocketWrap']])
})

test('of an error without a code the words cross, and its stack is told on the side of the plugin', async () => {
  const { door, remote, faults } = serve()
  const act = "if (args.coded) throw Object.assign(new Error('known'), { name: 'AgentError', code: 'TIMED_OUT', params: {} }); return x.y"
  await door.load(await specOf('mine', toolSource('mine', act)))
  const { tools } = await (remote.proxy('toolset.mine', 'toolset') as Toolset).open(context, newCall())
  await expect(tools.mine?.({ ...toolCall, args: { coded: true } as never }, newCall())).rejects.toMatchObject({ code: 'TIMED_OUT' })
  expect(faults).toEqual([])
  await expect(tools.mine?.(toolCall, newCall())).rejects.toMatchObject({ code: 'INTERNAL', params: { detail: 'x is not defined' } })
  expect(faults.map(({ stack = '' }) => stack.includes(join(root, 'mine.js')))).toEqual([true])
})
