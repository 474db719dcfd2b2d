import type { Call, Context, Panel, PanelRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { openPluginFolder, type PluginFolder } from '#kernel/testing/plugin-folder.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createPluginPanels, type PluginPanels } from './plugin-panels.ts'

type PanelContext = Parameters<Panel['open']>[0]

let folder: PluginFolder
let panels: PluginPanels
let heard: PanelRequest[]
let run: (request: PanelRequest, call: Call) => Promise<unknown>
let closed: number
let context: PanelContext | undefined
let asked: string[]
let shop: Contribution<'panel'>

beforeEach(async () => {
  folder = openPluginFolder()
  asked = []
  const input = {
    type: 'object',
    properties: { thing: { type: 'string' }, count: { type: 'integer', default: 1 } },
    required: ['thing'],
    additionalProperties: false,
  }
  const pages = [{ id: 'list', title: 'List', blocks: [{ type: 'table', from: 'list', fields: [{ key: 'thing', label: 'Thing' }] }] }]
  const methods = [{ name: 'list' }, { name: 'add', changes: true, input }]
  const permissions = { host: { value: ['skills' as const, 'logs' as const], reason: 'x' } }
  const spec = { id: 'shop', entry: 'dist/panel.shop.js', label: 'Shop', methods, pages }
  folder.link({ id: 'panel-shop', api: { panel: 1 }, contributes: { panels: [spec] } as never, permissions })
  heard = []
  closed = 0
  run = async () => ({ rows: [] })
  const opened = {
    run: (request: PanelRequest, call: Call) => {
      heard.push(request)
      return run(request, call)
    },
  }
  const catalog = await folder.load()
  shop = catalog.find('panel', 'shop') as Contribution<'panel'>
  panels = createPluginPanels({
    catalog,
    activator: {
      entry: async <T>() =>
        ({
          open: async (given: PanelContext) => {
            context = given
            return opened
          },
        }) as T,
    },
    jobs: { desk: () => Promise.reject(new Error('there is no desk')), blueprints: async () => [] },
    checkpoints: {
      ...{ enabled: () => false, folders: () => [], list: async () => [], total: async () => 0, preview: async () => [] },
      ...{ diff: async () => '', restore: () => Promise.reject(new Error('there is nothing to restore')), prune: async () => 0 },
    },
    store: { sessions: { find: async () => undefined } as never },
    turns: { compress: async () => undefined },
    loaded: { config: { compression: { enabled: true } as never } },
    length: { now: async () => undefined },
    childAgents: { all: () => [] },
    skillWriting: {
      ...{ diff: async () => '', approve: () => Promise.reject(new Error('nothing waits')) },
      pending: {
        add: async () => '',
        list: async () => [],
        find: () => Promise.reject(new Error('nothing waits')),
        remove: () => undefined,
      },
    },
    memory: {
      ...{ blocks: async () => [], targets: () => [], approve: () => Promise.reject(new Error('nothing waits')) },
      change: () => Promise.reject(new Error('nothing is remembered')),
      pending: {
        add: async () => '',
        list: async () => [],
        find: () => Promise.reject(new Error('nothing waits')),
        remove: () => undefined,
      },
    },
    skills: {
      list: async (wanted) => {
        asked.push(`skills ${JSON.stringify(wanted)}`)
        return []
      },
      view: async ({ name }) => name,
    },
    services: {
      logs: {
        read: async ({ name }) => {
          asked.push(`logs ${name}`)
          return { lines: [] }
        },
      },
      toolsets: { list: async () => [], turn: async () => [], setUp: async () => [] },
      skillHub: {
        ...{ installed: async () => [], inspect: async () => [], check: async () => [], install: async () => 'same' },
        remove: async () => undefined,
      },
      mcp: {
        ...{ list: async () => [], catalog: async () => [], install: async () => [], add: async () => [], turn: async () => [] },
        ...{ remove: async () => [], test: async () => ({ ok: true, said: [] }), answer: async () => [], cancel: async () => [] },
        ...{ logout: async () => [], login: async () => ({ id: 'l', address: 'https://accounts.example', until: 0 }) },
      },
    },
    openContext: async () => ({
      context: { signal: new AbortController().signal } as Context,
      close: async () => void closed++,
    }),
    clock: createFakeClock(),
    log: silentLog,
  })
})
afterEach(async () => {
  await panels.close()
  folder[Symbol.dispose]()
})

const ask = (method: string, input: PanelRequest['input'] = {}, signal = new AbortController().signal) =>
  panels.run('shop', { method, input }, signal)

test('a method is asked with its input checked and filled in', async () => {
  expect(await ask('list')).toEqual({ rows: [] })
  run = async () => ({ said: 'It is on the list.' })
  expect(await ask('add', { thing: 'milk' })).toEqual({ said: 'It is on the list.' })
  expect(heard).toEqual([
    { method: 'list', input: {} },
    { method: 'add', input: { thing: 'milk', count: 1 } },
  ])
})

test('what does not fit never reaches the plugin', async () => {
  await expect(ask('add', {})).rejects.toMatchObject({ code: 'HTTP_INVALID', params: { param: 'thing' } })
  await expect(ask('list', { more: 1 })).rejects.toMatchObject({ code: 'HTTP_INVALID' })
  await expect(ask('remove')).rejects.toMatchObject({ code: 'HTTP_NOT_FOUND', message: 'There is no method remove of a panel shop.' })
  await expect(panels.run('none', { method: 'list', input: {} }, new AbortController().signal)).rejects.toMatchObject({
    code: 'HTTP_NOT_FOUND',
  })
  expect(heard).toEqual([])
})

test.each<[string, string, unknown, string]>([
  ['rows that are none', 'list', { rows: 'x' }, 'cannot be drawn as table: it has no list rows'],
  ['words that are none', 'add', { said: 5 }, 'cannot be drawn as action: said is no text'],
  ['more than anybody reads', 'list', { rows: [{ thing: 'x'.repeat(1_000_001) }] }, 'more than 1000000 characters'],
])('%s are no answer', async (_name, method, answer, problem) => {
  run = async () => answer
  await expect(ask(method, method === 'add' ? { thing: 'x' } : {})).rejects.toMatchObject({
    code: 'PLUGIN_FAILED',
    message: expect.stringContaining(problem),
  })
})

test.each<[string, Error, string, string]>([
  ['an error with a code', fail('ENV_MISSING', { name: 'SHOP', file: '.env' }), 'ENV_MISSING', 'SHOP'],
  ['one without', new Error('No milk.'), 'PLUGIN_FAILED', 'No milk'],
  ['one of a child without', fail('INTERNAL', { detail: 'out of milk' }), 'PLUGIN_FAILED', 'out of milk'],
])('%s of a plugin comes with its own words', async (_what, error, code, detail) => {
  run = () => Promise.reject(error)
  await expect(ask('list')).rejects.toMatchObject({ code, message: expect.stringContaining(detail) })
  if (code === 'PLUGIN_FAILED') await expect(ask('list')).rejects.toMatchObject({ params: { during: 'shop.list', plugin: 'panel-shop' } })
})

test('a panel that is replaced ends after what runs of it', async () => {
  let answer: (value: unknown) => void = () => undefined
  run = () => new Promise((resolve) => (answer = resolve))
  const asking = ask('list')
  await expect.poll(() => heard.length).toBe(1)
  const retired = panels.retire(shop)
  await new Promise((resolve) => setImmediate(resolve))
  expect(closed).toBe(0)
  answer({ rows: [] })
  expect(await asking).toEqual({ rows: [] })
  await retired
  expect(closed).toBe(1)
})

test('who leaves is not waited for, and the end of the agent ends the panel', async () => {
  const controller = new AbortController()
  run = (_request, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const asking = ask('list', {}, controller.signal)
  await expect.poll(() => heard.length).toBe(1)
  controller.abort(new Error('left'))
  await expect(asking).rejects.toThrow('left')
  await panels.close()
  expect(closed).toBe(1)
})

test('a panel asks the host for what its manifest names, and for nothing else', async () => {
  await ask('list')
  expect(await context?.skills.list({ all: true })).toEqual([])
  expect(await context?.skills.view({ name: 'tea' })).toBe('tea')
  expect(await context?.logs.read({ name: 'agent', count: 5 })).toEqual({ lines: [] })
  expect(asked).toEqual(['skills {"all":true}', 'logs agent'])
  for (const act of [() => context?.toolsets.list(), () => context?.toolsets.turn('files', 'off'), () => context?.toolsets.setUp('files')])
    await expect(act()).rejects.toMatchObject({
      code: 'PLUGIN_UNDECLARED',
      message: expect.stringContaining('"toolsets" in permissions.host'),
    })
  const jobs = context?.jobs
  const verbs = [
    ...[() => jobs?.create({}), () => jobs?.list(), () => jobs?.edit('x', {}), () => jobs?.act('x', 'run')],
    ...[() => jobs?.due(0), () => jobs?.runs({})],
  ]
  for (const verb of verbs)
    await expect(verb()).rejects.toMatchObject({
      code: 'PLUGIN_UNDECLARED',
      message: expect.stringContaining('"jobs" in permissions.host'),
    })
  const checkpoints = context?.checkpoints
  const of = { folder: '/work', number: 1 }
  const rollbacks = [() => checkpoints?.compare(of), () => checkpoints?.diff(of), () => checkpoints?.restore(of)]
  for (const verb of [() => checkpoints?.list(), () => checkpoints?.prune(), ...rollbacks])
    await expect(verb()).rejects.toMatchObject({
      code: 'PLUGIN_UNDECLARED',
      message: expect.stringContaining('"checkpoints" in permissions.host'),
    })
  const hub = context?.skillHub
  const wish = { source: 'x', skill: 'y', hash: 'z' }
  const changes = [() => hub?.install(wish), () => hub?.remove(wish)]
  for (const verb of [() => hub?.installed(), () => hub?.inspect(wish), () => hub?.check({}), ...changes])
    await expect(verb()).rejects.toMatchObject({
      code: 'PLUGIN_UNDECLARED',
      message: expect.stringContaining('"skills.install" in permissions.host'),
    })
  const proposals = context?.skillProposals
  const decisions = [() => proposals?.diff({ id: 'x' }), () => proposals?.decide({ id: 'x', to: 'approve' })]
  for (const verb of [() => proposals?.list(), ...decisions])
    await expect(verb()).rejects.toMatchObject({
      code: 'PLUGIN_UNDECLARED',
      message: expect.stringContaining('"skills.approve" in permissions.host'),
    })
  const entry = { action: 'add', target: 'user', text: 'x' } as const
  const { memory, memoryProposals } = context ?? {}
  for (const verb of [() => memory?.blocks(), () => memory?.change(entry)])
    await expect(verb()).rejects.toMatchObject({
      code: 'PLUGIN_UNDECLARED',
      message: expect.stringContaining('"memory" in permissions.host'),
    })
  for (const verb of [() => memoryProposals?.list(), () => memoryProposals?.decide({ id: 'x', to: 'approve' })])
    await expect(verb()).rejects.toMatchObject({
      code: 'PLUGIN_UNDECLARED',
      message: expect.stringContaining('"memory.approve" in permissions.host'),
    })
  const talks = context?.conversations
  const one = { session: 'x' }
  for (const verb of [() => talks?.list(), () => talks?.look(one), () => talks?.compress(one)])
    await expect(verb()).rejects.toMatchObject({
      code: 'PLUGIN_UNDECLARED',
      message: expect.stringContaining('"conversations" in permissions.host'),
    })
  const { agents } = context ?? {}
  for (const verb of [() => agents?.list(), () => agents?.stop('x')])
    await expect(verb()).rejects.toMatchObject({
      code: 'PLUGIN_UNDECLARED',
      message: expect.stringContaining('"agents" in permissions.host'),
    })
  const mcp = context?.mcp
  const server = { name: 'x', env: {}, words: [] }
  const starts = [() => mcp?.install(server), () => mcp?.add(server), () => mcp?.turn({ name: 'x', to: 'on' }), () => mcp?.test(server)]
  const answer = { id: 'x', pasted: 'http://127.0.0.1' }
  const logins = [() => mcp?.login(server), () => mcp?.answer(answer), () => mcp?.cancel(answer), () => mcp?.logout(server)]
  for (const verb of [() => mcp?.list(), () => mcp?.catalog(), () => mcp?.remove(server), ...starts, ...logins])
    await expect(verb()).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED', message: expect.stringContaining('"mcp" in permissions.host') })
})

test('what a method has changed is told, and what a panel says itself, but nothing that failed or only looked', async () => {
  const told: string[] = []
  const leave = panels.onChanged((panel) => told.push(panel))
  await ask('list')
  expect(told).toEqual([])
  run = async () => ({})
  await ask('add', { thing: 'milk' })
  expect(told).toEqual(['shop'])
  run = () => Promise.reject(new Error('No milk.'))
  await ask('add', { thing: 'milk' }).catch(() => undefined)
  expect(told).toEqual(['shop'])
  context?.changed()
  expect(told).toEqual(['shop', 'shop'])
  leave()
  context?.changed()
  expect(told).toHaveLength(2)
})
