import { existsSync, realpathSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Log } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { connectionMessage } from '../egress/tell-request.ts'
import { permissionSetOf } from '../isolation/permission-set.ts'
import type { SandboxLevel } from '../sandbox/sandbox-level.ts'
import { openPluginFolder, toolsetOf } from '../testing/plugin-folder.ts'
import { prepareChild } from './prepare-child.ts'

const bwrap: SandboxLevel = { works: true, kind: 'bwrap', program: '/usr/bin/bwrap', flags: [] }
const seatbelt: SandboxLevel = { works: true, kind: 'sandbox-exec', program: '/usr/bin/sandbox-exec', flags: [] }
const none: SandboxLevel = { works: false, reason: 'it rains', fix: 'wait' }

type World = Awaited<ReturnType<typeof open>>

async function open({ net = 'none' as 'none' | string[], ids = ['mine'] } = {}) {
  const folder = openPluginFolder()
  const permissions = net === 'none' ? {} : { permissions: { net: { value: net, reason: 'It asks there.' } } }
  for (const id of ids) folder.add('local', { id, contributes: toolsetOf(id) as never, ...permissions })
  const entries = Object.fromEntries(ids.map((id) => [id, { enabled: true }]))
  const catalog = await folder.load({ settings: { entries, deny: [], sandbox: 'auto' } })
  return { folder, plugins: catalog.plugins.flatMap(({ installed }) => installed ?? []), entries }
}

function prepare(
  { folder, plugins, entries }: World,
  level: SandboxLevel,
  sandbox: 'auto' | 'required' | 'off' = 'auto',
  log?: Pick<Log, 'debug'>,
) {
  const [first] = plugins
  if (!first) throw new Error('no plugin was found')
  const data = join(folder.home, 'plugins', 'data')
  return prepareChild(
    {
      ...{ program: '/child.mjs', data, memories: join(folder.home, 'memories'), workspace: folder.home },
      ...{ homes: () => [folder.home], userHome: folder.home, clock: systemClock },
      sandbox: { level: async () => level },
      ...(log && { log }),
    },
    permissionSetOf(first, { entries, sandbox }),
    plugins,
  )
}

test('a child is started in bwrap where that works, and beside the agent in any other case', async () => {
  const world = await open()
  using _folder = world.folder
  const started = async (level: SandboxLevel, sandbox?: 'off') => (await prepare(world, level, sandbox)).command
  expect(await started(bwrap)).toMatchObject({ file: '/usr/bin/bwrap', sandboxed: true })
  for (const command of [await started(seatbelt), await started(none), await started(bwrap, 'off')])
    expect(command).toMatchObject({ file: process.execPath, sandboxed: false })
})

test('where a sandbox is required and is none, the plugins and the way out are named', async () => {
  const world = await open({ ids: ['calm', 'mine'] })
  using _folder = world.folder
  for (const level of [seatbelt, none])
    await expect(prepare(world, level, 'required')).rejects.toMatchObject({
      code: 'PLUGIN_BLOCKED',
      params: { plugin: 'calm, mine', reason: expect.stringContaining('no bwrap'), fix: expect.stringContaining('entries.calm.sandbox') },
    })
})

test('each plugin has a folder; a child of several works above theirs', async () => {
  const [one, two] = [await open(), await open({ ids: ['calm', 'mine'] })]
  using _one = one.folder
  using _two = two.folder
  const data = ({ folder }: World, ...path: string[]): string => join(realpathSync(folder.home), 'plugins', 'data', ...path)
  expect((await prepare(one, none)).cwd).toBe(data(one, 'mine'))
  expect((await prepare(two, none)).cwd).toBe(data(two))
  expect(['calm', 'mine'].map((id) => existsSync(data(two, id)))).toEqual([true, true])
})

test('a door to the network is there for a child in a sandbox that declares some, until its end', async () => {
  const doorOf = async (net: 'none' | string[], level: SandboxLevel) => {
    const world = await open({ net })
    using _folder = world.folder
    const { command, close } = await prepare(world, level)
    const door = command.args.find((word) => existsSync(join(word, 'door')))
    const wasThere = door !== undefined
    await close()
    return [wasThere, door !== undefined && existsSync(join(door, 'door'))]
  }
  expect(await doorOf(['example.org'], bwrap)).toEqual([true, false])
  expect(await doorOf(['example.org'], none)).toEqual([false, false])
  expect(await doorOf('none', bwrap)).toEqual([false, false])
})

test('what is remembered is shown to a provider that keeps files of it, in either kind of child, and to no other plugin', async () => {
  const plain = await open()
  using folder = openPluginFolder()
  using _plain = plain.folder
  const memory = [
    { id: 'notes', entry: 'dist/memory.js', label: 'Notes', capabilities: { snapshot: true, change: true }, files: ['NOTES.md'] },
  ]
  folder.add('local', { id: 'notes', contributes: { memory } as never, api: { memory: 1 } })
  const catalog = await folder.load({ settings: { entries: { notes: { enabled: true } }, deny: [], sandbox: 'auto' } })
  const keeper = { folder, plugins: catalog.plugins.flatMap(({ installed }) => installed ?? []), entries: {} }
  for (const level of [bwrap, none]) {
    const [shown, hidden] = [await prepare(keeper, level), await prepare(plain, level)].map(({ command }) => command.args.join(' '))
    expect(shown).toContain(join(realpathSync(folder.home), 'memories'))
    expect(hidden).not.toContain('memories')
  }
})

test('what a child asks of its door is logged with its plugins; one that has the network of the machine has no door', async () => {
  const world = await open({ net: ['example.org'], ids: ['calm', 'mine'] })
  using _folder = world.folder
  const logged: unknown[] = []
  const { command, close } = await prepare(world, bwrap, 'auto', { debug: (message, fields) => void logged.push([message, fields]) })
  const door = command.args.find((word) => existsSync(join(word, 'door'))) ?? ''
  const socket = connect({ path: join(door, 'door') })
  socket.write('{"host":"other.example","port":80}\n')
  expect(await text(socket)).toContain('does not declare')
  expect(logged).toMatchObject([[connectionMessage, { plugin: 'calm, mine', host: 'other.example', port: 80, state: 'refused' }]])
  await close()
  for (const net of [['direct'], []]) {
    const other = await open({ net })
    using _other = other.folder
    expect((await prepare(other, bwrap)).command.args.filter((word) => existsSync(join(word, 'door')))).toEqual([])
  }
})
