// @module-tag process
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Toolset } from '@agent/plugin-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltProgram, buildChildProgram } from '../../../../test/support/child-program.ts'
import { needs, sayMissing } from '../../../../test/support/needs.ts'
import { findBwrap } from '../sandbox/find-bwrap.ts'
import { type ExtensionRig, newCall, openExtensionRig, type RigPlugin, toolSource } from './testing/extension-rig.ts'

let program: BuiltProgram
beforeAll(async () => {
  program = await buildChildProgram()
})
afterAll(() => program[Symbol.asyncDispose]())

const open = (plugins: readonly RigPlugin[]): Promise<ExtensionRig> => openExtensionRig({ program: program.file, plugins })
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`)
const other: RigPlugin = {
  id: 'other',
  tool: 'return process.pid',
  manifest: { permissions: { net: { value: ['example.org'], reason: 'It is told apart by it.' } } },
}
const restricted =
  process.allowedNodeEnvironmentFlags.has('--permission') || process.allowedNodeEnvironmentFlags.has('--experimental-permission')

test.each([
  ['process.exit', 'process.exit(3)', /code 3/],
  ['a throw in a timer', 'setTimeout(() => { throw new Error("out of luck") }, 1); await new Promise(() => {})', /out of luck/],
  ['a rejection that nobody handles', 'Promise.reject(new Error("lost count")); await new Promise(() => {})', /lost count/],
  ['abort', 'process.abort()', /SIGABRT|process ended/],
  ['an endless loop', 'for (;;);', /did not answer while it worked for 2 s/],
  [
    'buffers without end',
    'const all = []; for (;;) { all.push(Buffer.alloc(8e6, 1)); await new Promise((r) => setTimeout(r, 1)) }',
    /MiB of memory, of 96 MiB/,
  ],
  [
    'a heap without end',
    'const all = []; for (;;) all.push(new Array(1e4).fill({}))',
    /SIGABRT|MiB of memory|process ended|did not answer/,
  ],
])('%s ends one child; the other plugin and the host go on, and the next call starts a new child', async (_name, harm, detail) => {
  const tool = `if (args.harm) { ${harm} } return process.pid`
  await using rig = await open([{ id: 'mine', tool, entry: { memory_mb: 96 } }, other])
  const [first, beside] = [await rig.run('mine'), await rig.run('other')]
  await expect(rig.run('mine', { harm: true })).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
  expect(await rig.run('other')).toBe(beside)
  await rig.until(() => rig.activator.state('mine').state === 'failed')
  expect(rig.hosts.status().find(({ plugin }) => plugin === 'mine')).toMatchObject({ faults: 1, lastFault: expect.stringMatching(detail) })
  expect(isAlive(Number(first))).toBe(false)
  await expect(rig.run('mine')).rejects.toMatchObject({ code: 'PLUGIN_FAILED', retryAfterMs: expect.any(Number) })
  rig.skip(1000)
  expect(await rig.run('mine')).not.toBe(first)
  expect(rig.activator.state('mine').state).toBe('active')
  expect(await rig.run('other')).toBe(beside)
})

test('the stack of an error without a code is in the log, with the file and line that the author has written', async () => {
  const map = { version: 3, sources: ['../src/written.ts'], names: [], mappings: 'AAMA' }
  const link = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`
  const mine: RigPlugin = { id: 'mine', source: `${toolSource('mine', 'return args.deep.er')}\n${link}` }
  await using rig = await open([mine])
  await expect(rig.run('mine')).rejects.toThrow(/undefined/)
  await rig.until(() => rig.lines.some((line) => /^info .*src[/\\]written\.ts:7:/.test(line) && line.includes('"plugin":"mine"')))
})

test('a plugin that computes for a second is no hang; one that never stops is shown as silent before it is ended', async () => {
  const tool = 'const end = args.ms + performance.now(); while (performance.now() < end); return process.pid'
  await using rig = await open([{ id: 'mine', tool }])
  const first = await rig.run('mine', { ms: 1000 })
  expect(await rig.run('mine', { ms: 0 })).toBe(first)
  const harmed = rig.run('mine', { ms: 1e9 }).catch(() => undefined)
  await rig.until(() => rig.hosts.children()[0]?.silent === true)
  expect(rig.activator.state('mine').state).toBe('active')
  await harmed
  await rig.until(() => rig.hosts.status()[0]?.faults === 1)
})

test('plugins of one permission set share a child, another set gets its own; nothing is left when the hosts close', async () => {
  const tool = 'return process.pid'
  const rig = await open([{ id: 'one', tool }, { id: 'two', tool }, other])
  const pids = [await rig.run('one'), await rig.run('two'), await rig.run('other')]
  expect(pids[0]).toBe(pids[1])
  expect(pids[2]).not.toBe(pids[0])
  expect(rig.hosts.children().map(({ plugins }) => plugins)).toEqual([['one', 'two'], ['other']])
  await rig[Symbol.asyncDispose]()
  expect(pids.map(Number).filter(isAlive)).toEqual([])
  expect(rig.hosts.children()).toEqual([])
})

test('a plugin that came with agent runs in process, one of others only where the operator says so', async () => {
  await using rig = await open([{ id: 'mine', entry: { isolation: 'inproc' }, tool: 'return process.pid' }])
  expect(await rig.run('mine')).toBe(String(process.pid))
  expect(rig.catalog.plugin('mine')).toMatchObject({ isolation: 'inproc' })
})

test('a child has no environment, its folder of data as its own, and no way to files and programs that were not declared', async () => {
  const tool = `const { readFile, writeFile } = await import('node:fs/promises')
    const tried = async (what) => { try { await what(); return 'yes' } catch (error) { return error.code } }
    const { spawn } = await import('node:child_process')
    return JSON.stringify({
      environment: Object.keys(process.env),
      data: await tried(() => writeFile('note.txt', 'x')),
      own: await tried(() => readFile(new URL('../agent.plugin.json', import.meta.url))),
      config: await tried(() => readFile(args.config)),
      run: await tried(() => spawn(process.execPath, ['-v'])),
      fetch: await tried(() => context.fetch('http://example.com')),
    })`
  await using rig = await open([{ id: 'mine', tool }])
  rig.folder.write(join(rig.folder.home, '.env'), 'SECRET=1')
  const denied = restricted ? 'ERR_ACCESS_DENIED' : 'yes'
  expect(JSON.parse(await rig.run('mine', { config: join(rig.folder.home, '.env') }))).toEqual({
    ...{ environment: [], data: 'yes', own: 'yes', config: denied, run: denied, fetch: 'PLUGIN_UNDECLARED' },
  })
  expect(readFileSync(join(rig.folder.home, 'plugins', 'data', 'mine', 'note.txt'), 'utf8')).toBe('x')
})

test('what a plugin says without end is cut and thinned out, and stops nobody', async () => {
  const tool =
    'for (let n = 0; n < 3000; n++) { console.log("noise", n, "x".repeat(n % 9000)); context.log.info("more noise") } return "done"'
  await using rig = await open([{ id: 'mine', tool }, other])
  expect(await rig.run('mine')).toBe('done')
  expect(Number(await rig.run('other'))).toBeGreaterThan(0)
  await rig.until(() => rig.lines.some((line) => line.includes('noise 5')))
  expect(rig.lines.length).toBeLessThan(2000)
  expect(Math.max(...rig.lines.map((line) => line.length))).toBeLessThan(4400)
})

test('a value that is too large is refused by name, and the child lives on', async () => {
  await using rig = await open([{ id: 'mine', tool: 'return args.big ? "x".repeat(5e6) : process.pid' }])
  const pid = await rig.run('mine')
  await expect(rig.run('mine', { big: true })).rejects.toMatchObject({ code: 'BORDER_VALUE' })
  await expect(rig.run('mine', { big: 'x'.repeat(5e6) })).rejects.toMatchObject({ code: 'BORDER_VALUE' })
  expect(await rig.run('mine')).toBe(pid)
})

test.each([
  ['one that throws in a timer', `setTimeout(() => { throw new Error('from a timer') }, 1)`, 1],
  ['one with a rejection that nobody handles', `setTimeout(async () => { throw new Error('from a promise') }, 1)`, 1],
  ['an error whose plugin nobody knows', `(await import('node:net')).connect(1, '127.0.0.1'); return 1`, 0],
])('of several plugins in a child, %s leaves the others alone', async (_name, harm, faults) => {
  const tool = `if (args.harm) { ${harm}; await new Promise(() => {}) } return process.pid`
  await using rig = await open([
    { id: 'mine', tool },
    { id: 'calm', tool },
  ])
  const pid = await rig.run('mine')
  expect(await rig.run('calm')).toBe(pid)
  const harmed = rig.run('mine', { harm: true })
  if (faults > 0)
    await expect(harmed).rejects.toMatchObject({
      code: 'PLUGIN_FAILED',
      params: { plugin: 'mine', detail: expect.stringMatching(/^from a/) },
    })
  else await rig.until(() => rig.lines.some((line) => line.includes('ECONNREFUSED')))
  expect(await rig.run('calm')).toBe(pid)
  expect(rig.hosts.status().map((one) => [one.plugin, one.faults])).toEqual([
    ['calm', 0],
    ['mine', faults],
  ])
  rig.skip(1000)
  const again = await rig.run('mine')
  expect(again === pid).toBe(faults === 0)
  expect(await rig.run('calm')).toBe(pid)
})

test('a child cannot put its faults on a plugin of another child', async () => {
  const lie = JSON.stringify({ t: 'note', to: 'parent/blame', p: { v: ['other', 'it was not me'] } })
  const tool = `if (args.harm) {
    const { writeSync } = await import('node:fs')
    const head = Buffer.alloc(4)
    head.writeUInt32BE(${lie.length})
    writeSync(3, Buffer.concat([head, Buffer.from(${JSON.stringify(lie)})]))
    process.abort()
  }
  return 1`
  await using rig = await open([{ id: 'mine', tool }, other])
  await Promise.all([rig.run('mine'), rig.run('other')])
  await expect(rig.run('mine', { harm: true })).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
  await rig.until(() => rig.hosts.status().some(({ faults }) => faults > 0))
  expect(rig.hosts.status().map(({ plugin, faults }) => [plugin, faults])).toEqual([
    ['mine', 1],
    ['other', 0],
  ])
})

test('garbage on the pipe ends the child, not the host', async () => {
  const tool = `if (args.harm) { const { writeSync } = await import('node:fs'); writeSync(3, Buffer.from([0x7f, 255, 255, 255, 1])); await new Promise(() => {}) } return 1`
  await using rig = await open([{ id: 'mine', tool }])
  await rig.run('mine')
  await expect(rig.run('mine', { harm: true })).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
  await rig.until(() => rig.hosts.status()[0]?.faults === 1)
  expect(rig.hosts.status()[0]?.lastFault).toMatch(/broke the border/)
})

test('what a plugin leaves running ends with its child, and the effects of its context are undone before', async () => {
  const source = `export default { open: async (context) => {
    context.effect(() => context.log.info('undone ' + context.signal.aborted))
    setInterval(() => undefined, 1000)
    return { tools: { mine: async () => ({ ok: true, text: String(process.pid) }) } }
  } }`
  const rig = await open([{ id: 'mine', source }])
  const pid = Number(await rig.run('mine'))
  const contribution = rig.contribution('toolset', 'mine')
  expect(await rig.hosts.inspect(contribution)).toMatchObject({ busy: 0, contexts: 1, resources: expect.arrayContaining(['Timeout']) })
  await rig[Symbol.asyncDispose]()
  expect(rig.lines).toContainEqual(expect.stringContaining('undone true'))
  expect(isAlive(pid)).toBe(false)
})

test('new code runs in a new child; the old one ends when its last entry is released', async () => {
  const tool = 'return process.pid'
  await using rig = await open([
    { id: 'mine', tool },
    { id: 'calm', tool },
  ])
  const [before, calm] = [await rig.run('mine'), await rig.run('calm')]
  expect(before).toBe(calm)
  const contribution = rig.contribution('toolset', 'mine')
  rig.hosts.renew('mine')
  await rig.activator.release(contribution)
  await rig.activator.entry(contribution)
  expect(await rig.run('calm')).toBe(calm)
  expect(await rig.run('mine')).not.toBe(calm)
  rig.hosts.renew('mine')
  const second = Number(await rig.run('mine'))
  await rig.activator.release(contribution)
  expect(isAlive(second)).toBe(false)
  expect(rig.hosts.children().map(({ plugins }) => plugins)).toEqual([['calm', 'mine']])
})

test(
  'a sandbox has no network, writes to the folder of its plugin, and its memory is watched too',
  needs(findBwrap() || process.env.CI ? undefined : sayMissing('bwrap', 'bubblewrap')),
  async () => {
    const tool = `const { connect } = await import('node:net')
    const { writeFileSync } = await import('node:fs')
    if (args.harm) { const all = []; for (;;) { all.push(Buffer.alloc(8e6, 1)); await new Promise((r) => setTimeout(r, 1)) } }
    writeFileSync('note.txt', 'x')
    const network = await new Promise((resolve) => connect(args.port, '127.0.0.1').once('connect', () => resolve('yes')).once('error', (error) => resolve(error.code)))
    return JSON.stringify({ pid: process.pid, network })`
    const server = createServer((socket) => socket.destroy())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as { port: number }
    try {
      await using rig = await open([{ id: 'mine', tool, entry: { sandbox: 'bwrap', memory_mb: 128 } }, other])
      const seen = JSON.parse(await rig.run('mine', { port }))
      expect(seen).toEqual({ pid: 1, network: 'EACCES' })
      expect(rig.hosts.children()[0]).toMatchObject({ isolation: 'bwrap', pid: expect.any(Number), plugins: ['mine'] })
      await expect(rig.run('mine', { harm: true })).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
      await rig.until(() => rig.hosts.status().some(({ faults }) => faults === 1))
      expect(rig.hosts.status().find(({ plugin }) => plugin === 'mine')?.lastFault).toMatch(/of 128 MiB/)
      expect(Number(await rig.run('other'))).toBeGreaterThan(0)
    } finally {
      server.close()
    }
  },
)

test('what a plugin sets up after its context has ended is undone at once, and it is told', async () => {
  const source = `export default { open: async (context) => ({ tools: { mine: async () => {
    const late = () => { try { context.effect(() => context.log.info('undone late')) } catch (error) { console.log('told ' + error.code) } }
    context.signal.addEventListener('abort', () => setTimeout(late, 1))
    context.effect(() => new Promise((resolve) => setTimeout(resolve, 30)))
    return { ok: true, text: 'done' }
  } } }) }`
  await using rig = await open([{ id: 'mine', source }])
  const contribution = rig.contribution('toolset', 'mine')
  const { context, ledger } = rig.context(contribution)
  const toolset = await (await rig.activator.entry<Toolset>(contribution)).open(context as never, newCall())
  await toolset.tools.mine?.({ args: {} } as never, newCall())
  await ledger.dispose()
  await rig.until(() => rig.lines.some((line) => line.includes('told PLUGIN_INACTIVE')))
  expect(await rig.hosts.inspect(contribution)).toMatchObject({ contexts: 0, busy: 0 })
})

test('a plugin that is switched on later gets a child with its own permissions', async () => {
  const tool = 'return process.pid'
  await using rig = await open([
    { id: 'first', tool },
    { id: 'later', tool },
  ])
  const plugins = rig.catalog.plugins.flatMap(({ installed }) => installed ?? [])
  rig.change({ plugins: plugins.slice(0, 1) })
  const first = await rig.run('first')
  rig.change({ plugins })
  expect(await rig.run('later')).not.toBe(first)
  expect(rig.hosts.children().map((child) => child.plugins)).toEqual([['first'], ['later']])
})

test('the first fetch of a child does not hang where the other side closes at once', async () => {
  const closing = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end().resume()
  })
  await using server = closing.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const tool = `return await context.fetch('http://127.0.0.1:${port}/', { signal: AbortSignal.timeout(8000) }).catch((error) => error.message)`
  const permissions = { net: { value: ['127.0.0.1'], reason: 'It asks a server that closes at once.' } }
  await using rig = await open([{ id: 'mine', tool, manifest: { permissions } }])
  expect(await rig.run('mine')).toBe('fetch failed')
})

test('a timeout of the author ends a fetch in a child, whatever garbage is collected there', async () => {
  // What nobody reads does not end.
  await using server = createServer((socket) => void socket.resume().on('error', () => undefined)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const tool = `
    const { setFlagsFromString } = await import('node:v8')
    const { runInNewContext } = await import('node:vm')
    setFlagsFromString('--expose-gc')
    const timer = setInterval(runInNewContext('gc'), 10)
    try {
      return await context.fetch('http://127.0.0.1:${port}/', { signal: AbortSignal.timeout(100) })
    } catch (error) {
      return error.name
    } finally {
      clearInterval(timer)
    }`
  const permissions = { net: { value: ['127.0.0.1'], reason: 'It asks a server that never answers.' } }
  await using rig = await open([{ id: 'mine', tool, manifest: { permissions } }])
  expect(await rig.run('mine')).toBe('TimeoutError')
})
