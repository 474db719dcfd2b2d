import type { ToolCall } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { systemClock } from '#kernel/clock.ts'
import { createHooks } from '#kernel/hooks/hooks.ts'
import { createApprovals } from '../approvals/approvals.ts'
import type { ToolDone } from '../tool-turn.ts'
import { ok, open, prepare, run, silent, turnOf } from '../toolbox/testing/toolbox-world.ts'
import type { Toolbox } from '../toolbox/toolbox.ts'

const text = (description: string) => ({ type: 'string', description })
const about: Readonly<Record<string, object>> = {
  make_invoice: {
    description: 'Writes a bill for a customer.',
    parameters: { type: 'object', properties: { customer: text('Who pays.') } },
  },
  list_invoices: { description: 'Shows which bills there are.', parallel: false, replaySafe: true },
  water_plants: {
    description: 'Opens the valves in the garden.',
    parameters: { type: 'object', properties: { zone: text('Which bed.') } },
    effect: 'external',
    guards: [{ argument: 'zone', as: 'command' }],
  },
  read_meter: {
    description: 'Asks a device.',
    parameters: { type: 'object', properties: { voltage: text('Which phase.') }, required: ['voltage'] },
  },
}
const on = { enabled: 'on', max_listed: 0, search_default_limit: 2 } as const

function openMany(more: Parameters<typeof open>[1] = {}, heard: ToolCall[] = []) {
  const tell = async (call: ToolCall) => {
    heard.push(call)
    return { ok: true, text: 'done' }
  }
  const others = Object.fromEntries(
    [...Object.keys(about), ...Array.from({ length: 40 }, (_, at) => `other${at}`)].map((name) => [name, tell]),
  )
  return open({ own: { own_tool: ok }, 'acme-of-others': others }, { search: () => on, tool: (name: string) => about[name] ?? {}, ...more })
}

const search = async (toolbox: Toolbox, query: string): Promise<string> =>
  (await run(toolbox, 'tool_search', JSON.stringify({ query }))).outcome.text
const found = async (toolbox: Toolbox, query: string): Promise<readonly string[]> =>
  [...(await search(toolbox, query)).matchAll(/"name":"(\w+)"/g)].map(([, name = '']) => name)
const call = (toolbox: Toolbox, name: string, args: unknown = {}): Promise<ToolDone> =>
  run(toolbox, 'tool_call', JSON.stringify({ name, arguments: args }))

test('a search ranks by names, descriptions and arguments, and tells as many as the settings say', async () => {
  const { toolbox, opened } = openMany()
  expect(await found(toolbox, 'invoice')).toEqual(['make_invoice', 'list_invoices'])
  expect(await found(toolbox, 'open the valves in my garden')).toHaveProperty('0', 'water_plants')
  expect(await found(toolbox, 'voltage')).toEqual(['read_meter'])
  expect(await found(toolbox, 'invoces')).toContain('list_invoices')
  expect(await found(toolbox, 'acme')).toHaveLength(2)
  expect(opened).toEqual([])
})

test('what is found has its arguments with it; what the session lists is not found again', async () => {
  const { toolbox } = openMany()
  expect(await search(toolbox, 'meter')).toContain('"voltage":{"type":"string","description":"Which phase."}')
  expect(await search(toolbox, 'own_tool')).toBe('None of 44 tools fits. They are of: acme-of-others. Search for other words.')
  const { outcome } = await run(toolbox, 'tool_search', '{}')
  expect(outcome).toMatchObject({ ok: false, text: expect.stringContaining('query') })
})

test('a call through the pair is the call of the tool: its arguments, its traits, its name for those who watch', async () => {
  const heard: ToolCall[] = []
  const { toolbox } = openMany({}, heard)
  expect(await call(toolbox, 'make_invoice', { customer: 'Ann' })).toMatchObject({ outcome: { id: 'call_1', name: 'tool_call', ok: true } })
  expect(heard[0]).toMatchObject({ id: 'call_1', args: { customer: 'Ann' } })
  const prepared = await prepare(toolbox, 'tool_call', '{"name": "list_invoices", "arguments": {}}')
  expect(prepared).toMatchObject({ ready: true, meant: { id: 'call_1', name: 'list_invoices' }, parallel: false, replaySafe: true })
  expect(await prepare(toolbox, 'tool_call', '{"name": "make_invoice", "arguments": "{\\"customer\\": \\"Bob\\"}"}')).toMatchObject({
    ready: true,
    args: { customer: 'Bob' },
    preview: 'Bob',
  })
  expect(await prepare(toolbox, 'tool_call', '{"name": "list_invoices"}')).toMatchObject({ ready: true, args: { n: 7 } })
  expect([toolbox.isReplaySafe('list_invoices'), toolbox.isReplaySafe('tool_call'), toolbox.isReplaySafe('tool_search')]).toEqual([
    true,
    false,
    true,
  ])
})

test('a model that has found a tool may call it by its name, and a listed one through the pair', async () => {
  const { toolbox } = openMany()
  expect((await run(toolbox, 'make_invoice')).outcome).toMatchObject({ name: 'make_invoice', ok: true })
  expect((await call(toolbox, 'own_tool')).outcome.ok).toBe(true)
})

test('arguments are checked as those of the tool', async () => {
  const { toolbox } = openMany()
  expect((await call(toolbox, 'read_meter')).error).toMatchObject({ code: 'TOOL_ARGUMENTS', params: { tool: 'read_meter' } })
  expect((await call(toolbox, 'list_invoices', { x: 1 })).error).toMatchObject({
    code: 'TOOL_ARGUMENTS',
    params: { tool: 'list_invoices' },
  })
  expect((await call(toolbox, 'list_invoices', [])).error).toMatchObject({ code: 'TOOL_ARGUMENTS', params: { tool: 'list_invoices' } })
  for (const broken of ['{"arguments": {}}', '{"name": ', '[]'])
    expect((await run(toolbox, 'tool_call', broken)).error, broken).toMatchObject({ code: 'TOOL_ARGUMENTS', params: { tool: 'tool_call' } })
})

test('a wrong name gets the nearest ones, called directly or not', async () => {
  const { toolbox } = openMany()
  const nearest = async (done: Promise<ToolDone>) => {
    const { error } = await done
    return error?.code === 'TOOL_NOT_FOUND' ? String(error.params.nearest).split(', ') : error
  }
  expect(await nearest(call(toolbox, 'read_metre'))).toHaveProperty('0', 'read_meter')
  expect(await nearest(call(toolbox, 'invoice_create'))).toEqual(expect.arrayContaining(['make_invoice', 'list_invoices']))
  expect(await nearest(run(toolbox, 'own_tol'))).toHaveProperty('0', 'own_tool')
  expect(await nearest(call(toolbox, 'zzzzzzzzzzzz'))).toEqual(['(none)'])
  expect(await nearest(call(toolbox, 'tool_call'))).not.toContain('tool_call')
})

test('without the pair nothing is reached that is not listed', async () => {
  const { toolbox } = openMany()
  const turn = { ...turnOf(toolbox), tools: new Set(['own_tool']), reachable: new Set<string>() }
  for (const name of ['make_invoice', 'tool_search', 'tool_call'])
    expect(await toolbox.prepare({ id: '1', name, args: '{"name": "make_invoice"}' }, turn)).toMatchObject({
      done: { error: { code: 'TOOL_UNKNOWN', params: { tool: name, known: 'own_tool' } } },
    })
})

test('hooks and approvals are asked about the tool that is meant', async () => {
  const hooks = createHooks({ clock: systemClock, log: silent })
  const asked: unknown[] = []
  const approvals = createApprovals({
    ...{ mode: 'ask', deny: [], allowlist: [], home: '/home/ann/.agent', userHome: '/home/ann', log: silent, secrets: () => [] },
    ...{ judge: async () => 'ask', allowAlways: async () => undefined },
  })
  const { toolbox } = openMany({ hooks, approvals })
  hooks.tap('tool.before', { owner: 'guard', filter: { tool: ['make_invoice', 'tool_search'] } }, async () => ({ refuse: 'not today' }))
  hooks.tap('tool.after', { owner: 'editor' }, async ({ tool, args, outcome }) => ({
    outcome: { ...outcome, text: `${tool} ${outcome.name} ${JSON.stringify(args)}` },
  }))
  expect(await call(toolbox, 'make_invoice')).toMatchObject({ outcome: { name: 'tool_call', ok: false }, error: { code: 'HOOK_REFUSED' } })
  expect(await run(toolbox, 'tool_search', '{"query": "x"}')).toMatchObject({ error: { code: 'HOOK_REFUSED' } })
  expect((await call(toolbox, 'list_invoices')).outcome).toMatchObject({ name: 'tool_call', text: 'list_invoices list_invoices {"n":7}' })
  const turn = {
    ...turnOf(toolbox),
    approve: async (request: { tool: string; subject: string }) => {
      asked.push([request.tool, request.subject])
      return 'deny' as const
    },
  }
  const args = JSON.stringify({ name: 'water_plants', arguments: { zone: 'rm -rf /srv/garden' } })
  const prepared = await toolbox.prepare({ id: 'c', name: 'tool_call', args }, turn)
  expect(prepared).toMatchObject({
    ready: false,
    meant: { name: 'water_plants' },
    preview: 'rm -rf /srv/garden',
    done: { outcome: { name: 'tool_call' } },
  })
  expect(asked).toEqual([['water_plants', 'rm -rf /srv/garden']])
  hooks.close()
})

test('what ends a call reaches the tool', async () => {
  const { toolbox } = openMany()
  const prepared = await prepare(toolbox, 'tool_call', '{"name": "make_invoice"}')
  const ended = new AbortController()
  ended.abort()
  const done = prepared.ready ? await prepared.run(createCall(ended.signal)) : prepared.done
  expect(done.outcome.ok).toBe(false)
})
