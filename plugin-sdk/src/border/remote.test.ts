import { expect, test } from 'vitest'
import type { Context } from '../contract/context.ts'
import { fail } from '../contract/errors.ts'
import type { Call } from '../contract/wire.ts'
import { createFakeClock } from '../testing/index.ts'
import { openEntry, type RemoteEntry, serveEntry } from './entry.ts'
import { linkPair } from './link.ts'
import { openRemote } from './remote.ts'

const call = (signal = new AbortController().signal): Call => ({ id: 'c1', signal, deadline: 500 })

/** A toolset whose tool does with its context what the test wants, served behind a border. */
function serveTool(
  run: (toolCall: Record<string, never>, context: Context, call: Call) => unknown,
  lenient = false,
): RemoteEntry<'toolset'> {
  const [host, plugin] = linkPair()
  const entry = {
    open: async (context: Context) => ({
      tools: { one: async (toolCall: Record<string, never>, own: Call) => run(toolCall, context, own) },
    }),
  }
  serveEntry({
    kind: 'toolset',
    entry,
    link: plugin,
    clock: createFakeClock(),
    fetch: () => expect.unreachable(),
    resources: () => ['Timer'],
    lenient,
  })
  return openEntry({ kind: 'toolset', link: host })
}

const about = { plugin: 'p', contribution: 'c', profile: 'default', agentVersion: '1' }

async function runTool(remote: RemoteEntry<'toolset'>, context: object, toolCall: object = {}, given = call()): Promise<unknown> {
  const opened = await remote.entry.open({ about, config: { size: 3 }, log: {}, ...context } as never, call())
  return opened.tools.one?.({ id: 't', args: { n: 1 }, session: 's', turn: 'r', workspace: '/w', ...toolCall } as never, given)
}

test('data crosses with an object, its members answer from where they are, and what is local stays there', async () => {
  const said: unknown[] = []
  const host = {
    log: { info: (...words: unknown[]) => void said.push(words) },
    secrets: { get: async (name: string) => `value of ${name}` },
  }
  const remote = serveTool(async ({ args, session }, context, { id, deadline }) => {
    context.log.info('hello', { n: 1 })
    return {
      ok: true,
      text: JSON.stringify([args, session, context.config, context.about.plugin, await context.secrets.get('A'), id, deadline]),
    }
  })
  const { text } = (await runTool(remote, host)) as { text: string }
  expect(JSON.parse(text)).toEqual([{ n: 1 }, 's', { size: 3 }, 'p', 'value of A', 'c1', 500])
  expect(said).toEqual([['hello', { n: 1 }]])
})

test('where the command of a call starts and its secrets cross, where there are such', async () => {
  const remote = serveTool(async ({ folder, secrets }) => ({ ok: true, text: JSON.stringify([folder ?? 'none', secrets ?? 'none']) }))
  const given = { folder: '/w/sub', secrets: { KEY: 'value' } }
  expect(await runTool(remote, {}, given)).toEqual({ ok: true, text: '["/w/sub",{"KEY":"value"}]' })
  expect(await runTool(remote, {})).toEqual({ ok: true, text: '["none","none"]' })
})

test('what is handed over with a call ends with it, and notes that come later are counted', async () => {
  const progress: string[] = []
  let later: ((text: string) => void) | undefined
  const remote = serveTool(async (toolCall) => {
    const tell = toolCall.progress as unknown as (text: string) => void
    tell('half')
    later = tell
    return { ok: true, text: 'done' }
  })
  await runTool(remote, {}, { progress: (text: string) => void progress.push(text), ask: async () => '' })
  expect(remote.late()).toEqual([])
  later?.('too late')
  await expect.poll(() => remote.late()).toEqual([expect.stringMatching(/\/progress$/)])
  expect(progress).toEqual(['half'])
})

test('of notes that come too late a hundred are kept, and their names are cut', async () => {
  const [one, other] = linkPair()
  const serving = openRemote({ link: one, offers: { known: { as: 'parent', object: { blame: () => undefined, fault: () => undefined } } } })
  const asking = openRemote({ link: other })
  for (let count = 0; count < 101; count++) {
    const late = asking.proxy(`${count} ${'x'.repeat(300)}`, 'parent') as { blame(): void }
    late.blame()
  }
  const known = asking.proxy('known', 'parent') as { blame(): void }
  known.blame()
  await new Promise((resolve) => setImmediate(resolve))
  expect([serving.late.length, serving.late[0], serving.late.at(-1)?.slice(0, 3)]).toEqual([100, `0 ${'x'.repeat(198)}`, '99 '])
})

test('what one side offers later is there, and what ends with an offer is all that came from it', async () => {
  const [one, other] = linkPair()
  const serving = openRemote({ link: one })
  const asking = openRemote({ link: other })
  const never = { roll: () => new Promise(() => undefined) }
  serving.offer('dice', 'toolset', { open: async () => ({ tools: never }) })
  serving.offer('dice2', 'control', { busy: async () => 7 })
  const entry = asking.proxy('dice', 'toolset') as { open(context: object, call: Call): Promise<{ tools: typeof never }> }
  const { tools } = await entry.open({ about, config: {}, log: {} }, call())
  const waiting = tools.roll()
  const opening = (asking.proxy('dice2', 'control') as { busy(): Promise<number> }).busy()
  asking.abandon('dice', fail('PLUGIN_INACTIVE', { plugin: 'dice' }))
  await expect(waiting).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  expect(await opening).toBe(7)
  // What does not listen to its signal runs on.
  expect(serving.busy()).toBe(1)
  serving.close()
  await Promise.all([serving.closed, asking.closed])
})

test('bytes that were read are forgotten on the side that gave them', async () => {
  const [one, other] = linkPair()
  const handles: string[] = []
  const serving = openRemote({
    link: one,
    offers: { entry: { as: 'toolset', object: { open: async () => ({ tools: {} }) } } },
    complete: (name, proxy) => {
      contexts.push(proxy as (typeof contexts)[number])
      return name === 'pluginContext' ? Object.assign(proxy, { mark: true }) : proxy
    },
  })
  const contexts: { files: { put(body: AsyncIterable<Uint8Array>): Promise<string> }; mark?: boolean }[] = []
  const taken: string[] = []
  const asking = openRemote({
    link: other,
    hand: (name, object, handle) => {
      handles.push(`${name} ${handle}`)
      return object
    },
  })
  const files = {
    put: async (body: AsyncIterable<Uint8Array>) => {
      for await (const piece of body) taken.push(Buffer.from(piece).toString())
      for await (const piece of body) taken.push(`again ${Buffer.from(piece).toString()}`)
      return 'never'
    },
  }
  await (asking.proxy('entry', 'toolset') as { open(context: object, call: Call): Promise<unknown> }).open(
    { about, config: {}, log: {}, files },
    call(),
  )
  expect([handles, contexts[0]?.mark]).toEqual([['pluginContext 1'], true])
  const body = async function* () {
    yield Buffer.from('a')
  }
  expect(await contexts[0]?.files.put(body())).toBe('never')
  // A stream that is handed over can be read once.
  expect(taken).toEqual(['a'])
  expect(serving.busy()).toBe(0)
})

test('a member that is not there is refused by its name', async () => {
  const remote = serveTool(async (_toolCall, context) => context.secrets.get('A'))
  await expect(runTool(remote, { secrets: {} })).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    params: { what: 'secrets.get', by: 'This context' },
  })
  const [one, other] = linkPair()
  openRemote({ link: one, offers: { known: { as: 'control', object: { dispose: async () => [] } } } })
  const asking = openRemote({ link: other })
  const known = asking.proxy('known', 'control') as Record<string, () => Promise<unknown>>
  expect(await known.dispose?.()).toEqual([])
  await expect(known.busy?.()).rejects.toMatchObject({ code: 'UNSUPPORTED', params: { by: 'This control' } })
  const unknown = asking.proxy('unknown', 'control') as Record<string, () => Promise<unknown>>
  await expect(unknown.dispose?.()).rejects.toMatchObject({ code: 'UNSUPPORTED', params: { by: 'The other side' } })
})

test('what the other side names and no contract knows is not there', async () => {
  const [one, other] = linkPair()
  const asking = openRemote({ link: other })
  const opened = (asking.proxy('known', 'toolset') as { open(context: object, call: Call): Promise<object> }).open({ about }, call())
  const reference = { handle: '1', as: 'openToolset', data: {}, has: ['tools.one', 'close', 'nothing', 'nothing.more'] }
  one.start(
    (message) => message.t === 'call' && one.send({ t: 'ok', id: message.id, p: { v: { '\u0000': { r: reference } }, x: 1 } }),
    () => undefined,
  )
  expect(Object.keys(await opened)).not.toContain('nothing')
  expect(await opened).toMatchObject({ tools: { one: expect.any(Function) } })
})

test('the end of a border is told on both sides', async () => {
  const remote = serveTool(() => new Promise(() => undefined))
  const running = expect(runTool(remote, {})).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  await new Promise((resolve) => setImmediate(resolve))
  remote.close()
  await Promise.all([running, remote.closed])
})

test('bytes are read over the border once, and a handler that is handed over is called back', async () => {
  const taken: string[] = []
  const host = {
    files: {
      put: async (body: AsyncIterable<Uint8Array>) => {
        for await (const bytes of body) taken.push(Buffer.from(bytes).toString())
        return { hash: 'h' }
      },
      read: async function* () {
        yield Buffer.from('a')
        yield Buffer.from('b')
      },
    },
    http: { listen: async (_options: object, handler: (request: object) => Promise<object>) => handler({ path: '/x' }) },
  }
  const remote = serveTool(async (_toolCall, given) => {
    const context = given as unknown as typeof host
    const body = async function* () {
      yield new TextEncoder().encode('one')
      yield new TextEncoder().encode('two')
    }
    const blob = await context.files.put(body())
    const read: string[] = []
    for await (const bytes of context.files.read()) read.push(Buffer.from(bytes).toString())
    const answer = await context.http.listen({}, async (request) => ({ status: 200, body: JSON.stringify(request) }))
    return { ok: true, text: JSON.stringify([blob, read, answer]) }
  })
  const { text } = (await runTool(remote, host)) as { text: string }
  expect(JSON.parse(text)).toEqual([{ hash: 'h' }, ['a', 'b'], { status: 200, body: '{"path":"/x"}' }])
  expect(taken).toEqual(['one', 'two'])
})

test('an abort reaches the other side, and what waits for an offer that is abandoned ends with the reason', async () => {
  const stop = new AbortController()
  const stopped: string[] = []
  const remote = serveTool((_toolCall, _context, { signal }) => {
    stop.abort()
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        stopped.push('tool')
        reject(signal.reason)
      }),
    )
  })
  await expect(runTool(remote, {}, {}, call(stop.signal))).rejects.toMatchObject({ code: 'INTERRUPTED' })
  expect(stopped).toEqual(['tool'])

  const [one, other] = linkPair()
  const never = { dispose: () => new Promise(() => undefined), busy: async () => 7 }
  openRemote({ link: one, offers: { mine: { as: 'control', object: never }, other: { as: 'control', object: never } } })
  const asking = openRemote({ link: other })
  const waiting = (asking.proxy('mine', 'control') as { dispose(): Promise<unknown> }).dispose()
  asking.abandon('mine', fail('PLUGIN_INACTIVE', { plugin: 'mine' }))
  await expect(waiting).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE', params: { plugin: 'mine' } })
  expect(await (asking.proxy('other', 'control') as { busy(): Promise<number> }).busy()).toBe(7)
})

test('effects end in reverse order after the signal; what comes too late is undone at once and refused', async () => {
  const ended: string[] = []
  const remote = serveTool(async (_toolCall, context) => {
    const mark = (name: string) => () => void ended.push(`${name} ${context.signal.aborted}`)
    if (context.signal.aborted) {
      context.effect(mark('late'))
      return { ok: true, text: 'never' }
    }
    context.effect(mark('first'))
    context.effect(() => {
      throw new Error('stuck')
    })
    context.effect(mark('last'))
    return { ok: true, text: 'set up' }
  })
  const opened = await remote.entry.open({ about, config: {}, log: {} } as never, call())
  const run = () => opened.tools.one?.({ id: 't', args: {}, session: 's', turn: 'r', workspace: '/w' } as never, call())
  expect(await run()).toEqual({ ok: true, text: 'set up' })
  expect([await remote.control.busy(), await remote.control.resources()]).toEqual([0, ['Timer']])
  expect(await remote.control.dispose()).toEqual(['stuck'])
  expect(ended).toEqual(['last true', 'first true'])
  await expect(run()).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  expect(ended).toEqual(['last true', 'first true', 'late true'])
})

test('what may not cross is listed where that is wanted, and thrown elsewhere', async () => {
  const gives = async () => ({ ok: true, text: 'x', data: { f: () => 1 } })
  const lenient = serveTool(gives, true)
  expect(await runTool(lenient, {})).toEqual({ ok: true, text: 'x', data: { f: null } })
  expect(await lenient.control.violations()).toEqual([expect.stringContaining('data.f: a value of type function')])
  expect(await serveTool(async () => ({ ok: true, text: 'x' }), true).control.violations()).toEqual([])
  await expect(runTool(serveTool(gives), {})).rejects.toMatchObject({ code: 'BORDER_VALUE' })
  const [host, plugin] = linkPair()
  const clock = createFakeClock()
  serveEntry({ kind: 'toolset', entry: { open: async () => null }, link: plugin, clock, fetch, lenient: true })
  const remote = openEntry({ kind: 'toolset', link: host })
  expect(await remote.entry.open({ about, config: {}, log: {} } as never, call())).toBeNull()
  expect(await remote.control.violations()).toEqual([expect.stringContaining('there is no object')])
})

test('what was handed over to one object of the other side is withdrawn with it, and an offer by its name', async () => {
  const [one, other] = linkPair()
  const handles: string[] = []
  const serving = openRemote({
    link: one,
    offers: { entry: { as: 'toolset', object: { open: async () => ({ tools: { one: async () => ({ ok: true, text: '1' }) } }) } } },
  })
  const asking = openRemote({
    link: other,
    hand: (_name, object, handle) => {
      handles.push(handle)
      return object
    },
  })
  const entry = asking.proxy('entry', 'toolset') as {
    open(context: object, call: Call): Promise<{ tools: Record<string, () => Promise<unknown>> }>
  }
  const { tools } = await entry.open({ about, config: {}, log: {} }, call())
  expect(await tools.one?.()).toEqual({ ok: true, text: '1' })
  serving.withdrawFor(handles[0] ?? '')
  await expect(tools.one?.()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  serving.withdraw('entry')
  await expect(entry.open({ about, config: {}, log: {} }, call())).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})
