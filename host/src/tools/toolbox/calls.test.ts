import type { Clock, MemoryChange, ToolManifest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { createHooks } from '#kernel/hooks/hooks.ts'
import type { CallVerbs } from '../memory/call-verbs.ts'
import type { CallOther, ToolDone } from '../tool-turn.ts'
import type { CallSecrets } from './run-call.ts'
import { allowing, hasty, ok, open, prepare, type Run, run, silent, turnOf } from './testing/toolbox-world.ts'

const { signal } = new AbortController()
const namesOf = (specs: readonly { readonly name: string }[]): readonly string[] => specs.map(({ name }) => name)

test('a tool hears its call, tells how far it is, and has the time of its manifest', async () => {
  const heard: unknown[] = []
  const told: unknown[] = []
  const clock = createFakeClock()
  const slow: Run = async ({ id, turn: itsTurn, progress, folder }, { deadline }) => {
    progress('half')
    heard.push({ id, turn: itsTurn, folder, deadline })
    await clock.advance(250)
    return { ok: true, text: 'done' }
  }
  const { toolbox } = open({ a: { one: slow } }, { clock })
  const view = { ...turnOf(toolbox), progress: (id: string, text: string) => void told.push([id, text]) }
  const prepared = await toolbox.prepare({ id: 'call_7', name: 'one', args: '{}' }, view)
  const done = prepared.ready ? await prepared.run({ id: 'call_7', signal, deadline: clock.now() + 60_000 }) : prepared.done
  expect(done).toMatchObject({ outcome: { ok: true }, durationMs: 250 })
  expect(told).toEqual([['call_7', 'half']])
  expect(heard).toMatchObject([{ id: 'call_7', turn: 'trn_1', folder: undefined }])
})

test('a call gets the verbs of its plugin and the secrets of its command; only an answer that is good is looked at', async () => {
  const heard: unknown[] = []
  const answered: unknown[] = []
  const tool: Run = async ({ args, memory, secrets }) => {
    heard.push([await memory?.recall('x'), secrets])
    return (args as { n: number }).n === 7 ? { ok: true, text: '' } : { ok: false, error: { code: 'ODD', params: {} } }
  }
  const verbs: CallVerbs = ({ id }, { owner }) => ({
    memory: { change: async (change: MemoryChange) => ({ waits: change.action }), recall: async () => [{ text: `${id} of ${owner}` }] },
  })
  const callSecrets: CallSecrets = {
    of: async (_contribution, { name }, { args }) => ({ secrets: { KEY: `${name} ${JSON.stringify(args)}` } }),
    answered: (contribution, { name }, args) => void answered.push([contribution.id, name, args]),
  }
  const { toolbox } = open({ a: { one: tool } }, { verbs, callSecrets })
  await run(toolbox, 'one')
  await run(toolbox, 'one', '{"n": 1}')
  expect(heard).toEqual([
    [[{ text: 'a of owner' }], { KEY: 'one {"n":7}' }],
    [[{ text: 'a of owner' }], { KEY: 'one {"n":1}' }],
  ])
  expect(answered).toEqual([['a', 'one', { n: 7 }]])
})

test('a tool whose plugin declares it calls others, runs beside none, and is called by none', async () => {
  const verbs: CallVerbs = (_contribution, _turn, call, callOther) =>
    callOther
      ? {
          tools: {
            call: async (name, args) => {
              const { outcome } = await callOther({ name, args, signal: call.signal })
              return { ok: outcome.ok, text: outcome.text }
            },
          },
        }
      : {}
  const calls: Run = async ({ tools }) => ({ ok: true, text: (await tools?.call('other', {}))?.text ?? 'nobody to call' })
  const other: CallOther = async ({ name }): Promise<ToolDone> => ({
    outcome: { id: 'c', name, ok: true, text: `${name} said` },
    durationMs: 1,
  })
  const host = (toolset: string) => (toolset === 'b' ? ['tools.call'] : [])
  const { toolbox } = open({ a: { plain: calls }, b: { caller: calls } }, { verbs, host })
  const textOf = async (name: string, callOther?: CallOther) => {
    const prepared = await prepare(toolbox, name)
    return prepared.ready && (await prepared.run(createCall(signal), callOther)).outcome.text
  }
  expect([await textOf('caller', other), await textOf('caller'), await textOf('plain', other)]).toEqual([
    'other said',
    'nobody to call',
    'nobody to call',
  ])
  expect([await prepare(toolbox, 'caller'), await prepare(toolbox, 'plain')]).toMatchObject([{ parallel: false }, { parallel: true }])
  const request = { id: 'c', name: 'caller', args: '{}' }
  const refused = { ready: false, done: { error: { code: 'TOOL_CALL_REFUSED', params: { tool: 'caller' } } } }
  expect(await toolbox.prepare(request, turnOf(toolbox), 'tool')).toMatchObject(refused)
  expect(await toolbox.prepare({ ...request, name: 'plain' }, turnOf(toolbox), 'tool')).toMatchObject({ ready: true })
})

test('a tool that ends with a call of another still going stops that call', async () => {
  let stopped: AbortSignal | undefined
  const verbs: CallVerbs = (_contribution, _turn, call, callOther) => {
    stopped = call.signal
    void callOther?.({ name: 'other', args: {}, signal: call.signal }).catch(() => undefined)
    return {}
  }
  const { toolbox } = open({ a: { one: ok } }, { verbs, host: ['tools.call'] })
  const prepared = await prepare(toolbox, 'one')
  const other: CallOther = ({ signal: own }) =>
    new Promise((_resolve, reject) => own.addEventListener('abort', () => reject(own.reason), { once: true }))
  if (prepared.ready) await prepared.run(createCall(signal), other)
  expect(stopped?.aborted).toBe(true)
})

test('what two toolsets declare, or what is the host’s, is told in the log', () => {
  const warned: unknown[] = []
  const log = { ...silent, warn: (text: string, fields?: object) => void warned.push([text, fields]) }
  open({ b: { same: ok }, a: { same: ok, tool_call: ok } }, { log })
  expect(warned).toEqual([
    ['a toolset declares a tool of the host', { tool: 'tool_call', ignored: 'a' }],
    ['two toolsets declare the same tool', { tool: 'same', used: 'a', ignored: 'b' }],
  ])
})

test('a judgement that fails without a code is a refusal too', async () => {
  const approvals = { ...allowing, check: () => Promise.reject(new Error('no rules')) }
  const { toolbox, opened } = open({ a: { one: ok } }, { approvals })
  expect(await run(toolbox, 'one')).toMatchObject({ outcome: { ok: false, text: expect.stringContaining('no rules') } })
  expect(opened).toEqual([])
})

test('what a hook makes of an answer is cut like an answer, and no hook makes a good one of nothing', async () => {
  const hooks = createHooks({ clock: hasty, log: silent })
  const { toolbox } = open({ a: { one: ok } }, { hooks })
  hooks.tap('tool.after', { owner: 'editor' }, async ({ outcome }) => ({ outcome: { ...outcome, ok: false, text: 'x'.repeat(200_000) } }))
  const { outcome } = await run(toolbox, 'one')
  expect([outcome.ok, outcome.text.includes('100000 characters left out')]).toEqual([false, true])
  hooks.close()
})

test('a tool that needs the web or a memory is offered where there is one, with the targets that may be remembered', () => {
  const parameters = { type: 'object', properties: { target: { type: 'string', enum: ['memory', 'user'] } } }
  const more = (name: string): object =>
    name === 'find' ? { needsWeb: 'search' } : name === 'remember' ? { needsMemory: 'change', parameters } : {}
  const offered = (given: object) => open({ a: { find: ok, remember: ok, plain: ok } }, { tool: more, ...given }).toolbox
  expect(namesOf(offered({}).specs())).toEqual(['plain'])
  expect([...offered({}).reachable()]).toEqual(['plain'])
  expect(namesOf(offered({ offersWeb: (what: string) => what === 'search' }).specs())).toEqual(['find', 'plain'])
  expect(namesOf(offered({ offersWeb: () => false, offersMemory: (what: string) => what === 'change' }).specs())).toEqual([
    'remember',
    'plain',
  ])
  let targets = ['user']
  const toolbox = offered({ offersMemory: () => true, memoryTargets: () => targets })
  const enumOf = () => (toolbox.specs()[0]?.parameters as typeof parameters | undefined)?.properties.target.enum
  expect(enumOf()).toEqual(['user'])
  targets = ['memory', 'user']
  expect(enumOf()).toEqual(['memory', 'user'])
})

test('the tools of a moment stay what they were when the catalog is read again', () => {
  let tools: readonly Contribution<'toolset'>[] = []
  const { toolbox } = open({}, { catalog: { of: () => tools as never } })
  const before = toolbox.current()
  const tool = { name: 'new', description: 'New.', parameters: { type: 'object' }, guards: [] } as unknown as ToolManifest
  tools = [{ id: 'a', plugin: { source: 'bundled', manifest: { permissions: {} } }, spec: { tools: [tool] } } as never]
  expect(namesOf(toolbox.specs())).toEqual([])
  toolbox.renew()
  expect([namesOf(toolbox.specs()), namesOf(before.specs()), namesOf(toolbox.current().specs())]).toEqual([['new'], [], ['new']])
})

const setUps = (setUp: unknown, { declared = true, clock = systemClock }: { declared?: boolean; clock?: Clock } = {}) =>
  open(
    { a: { one: ok }, bare: { two: ok } },
    {
      toolset: declared ? { setUp: 'Fetch a browser' } : {},
      ...{ clock, secrets: () => ['s3cret-value'] },
      activator: {
        entry: async <T>({ id }: { id: string }) => ({ open: async () => ({ tools: id === 'a' ? { one: ok } : { two: ok }, setUp }) }) as T,
      },
    },
  ).toolbox

test('a set-up is done by the toolset that declares one, and what it says is told without secrets', async () => {
  expect(await setUps(async () => 'fetched with s3cret-value').setUp('a', signal)).toBe('fetched with [secret]')
  expect(await setUps(async () => undefined).setUp('a', signal)).toBe('')
  for (const id of ['none', 'a'])
    await expect(setUps(undefined, { declared: false }).setUp(id, signal)).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      params: { by: `the toolset ${id}` },
    })
})

test('a set-up that is declared and not there, or there and not declared, is a fault of the plugin', async () => {
  await expect(setUps(undefined).setUp('a', signal)).rejects.toMatchObject({ code: 'PLUGIN_SHAPE' })
  expect(
    await run(
      setUps(async () => '', { declared: false }),
      'one',
    ),
  ).toMatchObject({
    error: { code: 'PLUGIN_SHAPE', params: { problem: expect.stringContaining('has a set-up where its manifest has none') } },
  })
})

test('a set-up that nobody waits for any more ends, and one without end is given up', async () => {
  const stop = new AbortController()
  const given = setUps(() => new Promise(() => undefined), { clock: hasty }).setUp('a', stop.signal)
  stop.abort(fail('INTERRUPTED'))
  await expect(given).rejects.toMatchObject({ code: 'INTERRUPTED' })
  const endless = setUps(() => new Promise(() => undefined), { clock: hasty })
  await expect(endless.setUp('a', signal)).rejects.toMatchObject({ code: 'TIMED_OUT', params: { what: 'The set-up of a', ms: 1_800_000 } })
})
