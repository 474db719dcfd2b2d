import { tmpdir } from 'node:os'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { systemClock } from '#kernel/clock.ts'
import { createHooks } from '#kernel/hooks/hooks.ts'
import { type Approvals, createApprovals } from '../approvals/approvals.ts'
import { allowing, closed, hasty, ok, open, prepare, type Run, run, silent, turn } from './testing/toolbox-world.ts'

test('specs come from manifests alone, in the same order whatever the catalog says', () => {
  const { toolbox, opened } = open({ b: { b2: ok, b1: ok }, a: { a1: ok } })
  expect(toolbox.specs().map(({ name }) => name)).toEqual(['a1', 'b2', 'b1'])
  expect(toolbox.specs(['b'])[0]).toEqual({ name: 'b2', description: 'b2 of b', parameters: closed })
  expect(opened).toEqual([])
})

test('a tool that two toolsets declare belongs to the first', async () => {
  const { toolbox } = open({ b: { same: async () => ({ ok: true, text: 'b' }) }, a: { same: async () => ({ ok: true, text: 'a' }) } })
  expect(toolbox.specs()).toHaveLength(1)
  expect((await run(toolbox, 'same')).outcome.text).toBe('a')
})

test('a plugin of others takes no name from a tool that came with agent, whatever its id', async () => {
  const { toolbox } = open({
    'a-of-others': { terminal: async () => ({ ok: true, text: 'theirs' }) },
    terminal: { terminal: async () => ({ ok: true, text: 'ours' }) },
  })
  expect((await run(toolbox, 'terminal')).outcome.text).toBe('ours')
})

test('a call gets its checked arguments with defaults, and its toolset is opened once', async () => {
  const seen: unknown[] = []
  const { toolbox, opened, closed } = open({
    a: {
      one: async ({ args, session, workspace }) => {
        seen.push(args, session, workspace)
        return { ok: true, text: 'done' }
      },
    },
  })
  const [first] = await Promise.all([run(toolbox, 'one'), run(toolbox, 'one', '{"n": 2}'), run(toolbox, 'one', '')])
  expect(first).toMatchObject({ outcome: { id: 'call_1', name: 'one', ok: true, text: 'done' } })
  expect(seen.filter((value) => typeof value === 'object')).toEqual([{ n: 7 }, { n: 2 }, { n: 7 }])
  expect(opened).toEqual(['a'])
  await toolbox.close()
  expect(closed).toEqual(['a'])
})

test('data of a tool goes along with its text, and there is none where it gives none', async () => {
  const { toolbox } = open({ a: { one: async () => ({ ok: true, text: 'done', data: { hits: 2 } }), two: ok } })
  expect((await run(toolbox, 'one')).data).toEqual({ hits: 2 })
  expect(await run(toolbox, 'two')).not.toHaveProperty('data')
})

test('what is closed is closed once', async () => {
  const { toolbox, closed } = open({ a: { one: ok } })
  await run(toolbox, 'one')
  await toolbox.close()
  await toolbox.close()
  expect(closed).toEqual(['a'])
})

test('a call may be run again after a crash only where the manifest says so', () => {
  const { toolbox } = open({ a: { one: ok } })
  expect([toolbox.isReplaySafe('one'), toolbox.isReplaySafe('nope')]).toEqual([false, false])
  const { toolbox: safe } = open({ a: { one: ok } }, { tool: { replaySafe: true } })
  expect(safe.isReplaySafe('one')).toBe(true)
})

test('prepare tells what the manifest says', async () => {
  const { toolbox } = open({ a: { one: ok } })
  expect(await prepare(toolbox, 'one')).toMatchObject({ ready: true, parallel: true, replaySafe: false, args: { n: 7 } })
})

test.each([
  ['an unknown tool', 'nope', '{}', 'TOOL_UNKNOWN', 'The tools are: one'],
  ['broken JSON', 'one', '{"n": ', 'TOOL_ARGUMENTS', 'they are not valid JSON'],
  ['what is nested too deep', 'one', `{"n": ${'['.repeat(50_000)}`, 'TOOL_ARGUMENTS', 'nested deeper than 100 levels'],
  ['a wrong type', 'one', '{"n": "x"}', 'TOOL_ARGUMENTS', 'n must be'],
  ['an unknown argument', 'one', '{"m": 1}', 'TOOL_ARGUMENTS', 'm is not known here'],
  ['no object', 'one', '[1]', 'TOOL_ARGUMENTS', ''],
])('%s is a result for the model', async (_name, tool, args, code, text) => {
  const { toolbox, opened } = open({ a: { one: ok } })
  const done = await run(toolbox, tool, args)
  expect(done).toMatchObject({ error: { code }, outcome: { id: 'call_1', name: tool, ok: false } })
  expect(done.outcome.text).toContain(text)
  expect(opened).toEqual([])
})

test('what approvals refuse is a result, and nothing is opened', async () => {
  const refusal = fail('PATH_PROTECTED', { path: '.env' })
  const { toolbox, opened } = open({ a: { one: ok } }, { approvals: { ...allowing, check: () => Promise.reject(refusal) } })
  expect(await run(toolbox, 'one')).toMatchObject({ error: { code: 'PATH_PROTECTED' }, outcome: { ok: false, text: refusal.message } })
  expect(opened).toEqual([])
})

const silentHang: Run = () => new Promise(() => undefined)
test.each<[string, Run, string, string]>([
  [
    'throws',
    () => {
      throw new Error('boom')
    },
    'TOOL_FAILED',
    'one failed: boom',
  ],
  ['rejects with a text', () => Promise.reject('boom'), 'TOOL_FAILED', 'one failed: boom'],
  ['answers nothing', async () => undefined, 'TOOL_FAILED', 'not a tool result'],
  ['has failed with a text', async () => ({ ok: false, text: 'x' }), 'TOOL_FAILED', 'not a tool result'],
  ['is neither well nor not', async () => ({ ok: 'x', text: 'x' }), 'TOOL_FAILED', 'not a tool result'],
  ['answers nonsense', async () => ({ ok: true, text: 5 }), 'TOOL_FAILED', 'not a tool result'],
  [
    'says neither that it worked nor that it failed',
    async () => ({ ok: 'no', error: { code: 'ODD', params: {} } }),
    'TOOL_FAILED',
    'not a tool result',
  ],
  ['fails with a text for an error', async () => ({ ok: false, error: 'broken' }), 'TOOL_FAILED', 'not a tool result'],
  ['fails with half an error', async () => ({ ok: false, error: { code: 'ODD' } }), 'TOOL_FAILED', 'not a tool result'],
  ['fails with a number for a code', async () => ({ ok: false, error: { code: 7, params: {} } }), 'TOOL_FAILED', 'not a tool result'],
  ['fails without an error', async () => ({ ok: false }), 'TOOL_FAILED', 'not a tool result'],
  [
    'fails in words',
    async () => ({ ok: false, error: { code: 'TOOL_FAILED', params: { tool: 'one', detail: 'no' } } }),
    'TOOL_FAILED',
    'one failed: no',
  ],
  ['fails with its own code', async () => ({ ok: false, error: { code: 'ODD', params: {} }, text: 'odd' }), 'ODD', 'odd'],
])('a tool that %s is a failed outcome', async (_name, tool, code, text) => {
  const done = await run(open({ a: { one: tool } }).toolbox, 'one')
  expect(done).toMatchObject({ error: { code }, outcome: { ok: false } })
  expect(done.outcome.text).toContain(text)
})

test('a tool that hangs is given up after its time, and is told so', async () => {
  let reason: unknown
  const { toolbox } = open(
    {
      a: {
        one: (_toolCall, { signal }) =>
          new Promise(() =>
            signal.addEventListener('abort', () => {
              reason = signal.reason
            }),
          ),
      },
    },
    { clock: hasty },
  )
  expect(await run(toolbox, 'one')).toMatchObject({ error: { code: 'TIMED_OUT', params: { what: 'one', ms: 5000 } } })
  expect(reason).toMatchObject({ code: 'TIMED_OUT' })
})

test('an interrupt ends the wait even when the tool ignores it', async () => {
  const interrupt = new AbortController()
  const running = run(open({ a: { one: silentHang } }).toolbox, 'one', '{}', interrupt.signal)
  interrupt.abort()
  expect(await running).toMatchObject({ error: { code: 'INTERRUPTED' }, outcome: { ok: false } })
})

test('a toolset that cannot be opened fails the call, and the next call tries again', async () => {
  let attempts = 0
  const { toolbox } = open(
    { a: { one: ok } },
    {
      activator: {
        entry: async <T>() => {
          attempts += 1
          if (attempts === 1) throw new Error('broken file')
          return { open: async () => ({ tools: { one: ok } }) } as T
        },
      },
    },
  )
  expect((await run(toolbox, 'one')).outcome.text).toContain('broken file')
  expect((await run(toolbox, 'one')).outcome.ok).toBe(true)
})

test.each([
  ['a missing tool', {}, 'does not provide the tool one'],
  ['an undeclared tool', { one: ok, two: ok }, 'provides the undeclared tool two'],
])('%s is a fault of the plugin, and its context is closed', async (_name, tools, problem) => {
  const { toolbox, closed } = open({ a: { one: ok } }, { activator: { entry: async <T>() => ({ open: async () => ({ tools }) }) as T } })
  const done = await run(toolbox, 'one')
  expect(done).toMatchObject({ error: { code: 'PLUGIN_SHAPE' } })
  expect(done.outcome.text).toContain(problem)
  expect(closed).toEqual(['a'])
})

test('an endless answer is cut', async () => {
  const { toolbox } = open({ a: { one: async () => ({ ok: true, text: 'x'.repeat(5_000_000) }) } })
  const { outcome } = await run(toolbox, 'one')
  expect(outcome.text.length).toBeLessThan(100_100)
  expect(outcome.text).toContain('4900000 characters left out')
})

test('a tool reaches the person only where its manifest says so', async () => {
  const asks: Run = async ({ ask }) => ({ ok: true, text: await ask({ question: 'q', choices: [] }) })
  expect((await run(open({ a: { one: asks } }, { host: ['clarify'] }).toolbox, 'one')).outcome.text).toBe('answer to q')
  expect(await run(open({ a: { one: asks } }).toolbox, 'one')).toMatchObject({ error: { code: 'PLUGIN_UNDECLARED' } })
})

test('tool.before may refuse, tool.after may change what the model is told', async () => {
  const hooks = createHooks({ clock: systemClock, log: silent })
  const { toolbox } = open({ a: { one: ok, two: ok } }, { hooks })
  const heard: unknown[] = []
  hooks.tap('tool.before', { owner: 'guard', filter: { tool: ['two'] } }, async (about) => {
    heard.push(about)
    return { refuse: 'not today' }
  })
  hooks.tap('tool.after', { owner: 'editor' }, async ({ outcome, ...about }) => {
    heard.push(about)
    return { outcome: { ...outcome, id: 'other', text: `${outcome.text}!` } }
  })
  expect((await run(toolbox, 'one')).outcome).toEqual({ id: 'call_1', name: 'one', ok: true, text: 'done!' })
  expect(heard).toEqual([{ turn: turn.turn, session: turn.session, tool: 'one', effect: 'read', args: { n: 7 } }])
  expect(await run(toolbox, 'two')).toMatchObject({ error: { code: 'HOOK_REFUSED', params: { plugin: 'guard', reason: 'not today' } } })
  const where = { turn: turn.turn, session: turn.session, workspace: turn.workspace }
  expect(heard[1]).toEqual({ ...where, tool: 'two', effect: 'read', args: { n: 7 } })
  hooks.close()
})

test('tools that look at pictures are offered where something can', () => {
  const tool = (name: string): object => (name === 'look' ? { needsImages: 'describe' } : {})
  const tools = { a: { look: ok, plain: ok } }
  const offered = (more: object) =>
    open(tools, { tool, ...more })
      .toolbox.specs()
      .map(({ name }) => name)
  expect([offered({}), offered({ offersImages: () => false }), offered({ offersImages: () => true })]).toEqual([
    ['plain'],
    ['plain'],
    ['look', 'plain'],
  ])
})

test('the preview is one short line', async () => {
  const { toolbox } = open({ a: { one: ok } })
  expect((await prepare(toolbox, 'one', `{"m": "a\\n${'b'.repeat(200)}"}`)).preview).toBe(`a ${'b'.repeat(77)}…`)
  expect((await prepare(toolbox, 'one')).preview).toBe('')
  expect((await prepare(toolbox, 'one', `{"m": "${'b'.repeat(80)}"}`)).preview).toBe('b'.repeat(80))
  expect((await prepare(toolbox, 'one', '{"a": "", "m": "  b \\n\\n c "}')).preview).toBe('b c')
  for (const args of ['null', '"text"', '["text"]']) expect((await prepare(toolbox, 'one', args)).preview, args).toBe('')
  const guarded = open({ a: { one: ok } }, { tool: { guards: [{ argument: 'path', as: 'read-path' }] } }).toolbox
  expect((await prepare(guarded, 'one', '{"m": "first", "path": "a.txt"}')).preview).toBe('a.txt')
})

test('a command starts where it was judged, and is judged again when a call before it has moved the session', async () => {
  const starts: (string | undefined)[] = []
  const move: Run = async ({ folder }) => {
    starts.push(folder)
    return { ok: true, text: 'moved', folder: tmpdir() }
  }
  const judged: (string | undefined)[] = []
  const approvals = createApprovals({
    ...{ mode: 'ask', deny: [], allowlist: [], home: '/home/ann/.agent', userHome: '/home/ann', log: silent, secrets: () => [] },
    ...{ judge: async () => 'ask', allowAlways: async () => undefined },
  })
  const watched: Approvals = {
    ...approvals,
    check: async (...call) => {
      const checked = await approvals.check(...call)
      judged.push(checked.folder)
      return checked
    },
  }
  const guards = [
    { argument: 'path', as: 'command' },
    { argument: 'm', as: 'folder' },
  ] as const
  const text = { type: 'string' }
  const parameters = { type: 'object', properties: { path: text, m: text }, additionalProperties: false }
  const { toolbox } = open({ a: { one: move } }, { approvals: watched, tool: { guards: [...guards], parameters } })
  const [first, second] = [await prepare(toolbox, 'one', '{"path": "pwd"}'), await prepare(toolbox, 'one', '{"path": "ls"}')]
  for (const each of [first, second]) if (each.ready) await each.run(createCall(turn.signal))
  await run(toolbox, 'one', '{"path": "ls", "m": "/usr"}')
  expect(starts).toEqual(['/work', tmpdir(), '/usr'])
  expect(judged).toEqual(['/work', '/work', tmpdir(), '/usr'])
})
