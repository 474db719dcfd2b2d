import type { ToolCall, ToolResult, TurnEvent } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import type { Approvals } from '#tools/approvals/approvals.ts'
import { type CallVerbsOptions, createCallVerbs } from '#tools/memory/call-verbs.ts'
import { allowing, open, type Run } from '#tools/toolbox/testing/toolbox-world.ts'
import { callEvent, end, hello, text, world } from './testing/turn-world.ts'

type Tools = NonNullable<ToolCall['tools']>
/** `begun` resolves when `wait` runs. */
type Script = (tools: Tools, begun: Promise<void>) => Promise<unknown>

const heard = (events: readonly TurnEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'tool.start' || event.type === 'tool.complete' ? [`${event.type} ${event.name}`] : []))

/** A turn whose model calls `script`, which does this with the other tools: `echo` says its arguments, `wait` never ends. */
async function play(
  script: Script,
  more: { readonly approvals?: Approvals; readonly host?: readonly string[]; readonly before?: string; readonly calls?: number } = {},
) {
  const seen: unknown[] = []
  let begin: () => void = () => undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const answer: Run = async ({ tools }: ToolCall): Promise<ToolResult> => {
    seen.push(tools ? await script(tools, begun) : 'no tools')
    return { ok: true, text: 'scripted' }
  }
  const echo: Run = async ({ args, tools }: ToolCall) => ({ ok: true, text: JSON.stringify(args), data: { reaches: tools !== undefined } })
  const wait: Run = (_toolCall, { signal }) => {
    begin()
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(fail('INTERRUPTED'))))
  }
  const { toolbox } = open(
    { scripts: { script: answer, other: answer }, plain: { echo, wait } },
    {
      verbs: createCallVerbs({} as CallVerbsOptions),
      approvals: more.approvals ?? allowing,
      host: (id) => (id === 'scripts' ? (more.host ?? ['tools.call']) : []),
      tool: (name: string) => (name === 'echo' ? { effect: 'write' } : {}),
    },
  )
  const kept: string[] = []
  const checkpoint = { before: async () => void kept.push('before'), after: async () => undefined }
  const calls = Array.from({ length: more.calls ?? 1 }, (_, index) => callEvent(`call-${index}`, 'script'))
  const steps = [
    [...calls, end('tool-calls')],
    [text('done'), end()],
  ]
  const { run, asked } = world(steps, [], { toolbox, clock: systemClock, checkpoints: { forTurn: () => checkpoint } })
  const stop = new AbortController()
  const events = await run(hello, stop.signal, (event) => {
    if (event.type === 'tool.start' && event.name === more.before) stop.abort()
  })
  return { seen, events, asked, kept }
}

test('a tool calls another one of its turn, which all who watch see', async () => {
  const { seen, events, asked } = await play((tools) => tools.call('echo', { n: 3 }))
  expect(seen).toEqual([{ ok: true, text: '{"n":3}', data: { reaches: false } }])
  expect(heard(events)).toEqual(['tool.start script', 'tool.start echo', 'tool.complete echo', 'tool.complete script'])
  const ids = events.flatMap((event) => (event.type === 'tool.start' ? [event.id] : []))
  expect(new Set(ids).size).toBe(2)
  // The model hears of what it asked for, and of nothing else.
  expect(asked[1]?.messages.at(-1)).toEqual({ role: 'tool', results: [{ id: 'call-0', name: 'script', ok: true, text: 'scripted' }] })
})

test('arguments are checked by the schema, and a name that this turn does not have is an answer', async () => {
  const { seen } = await play(async (tools) => [await tools.call('echo', { n: 'x' }), await tools.call('nothing', {})])
  expect(seen).toEqual([
    [
      { ok: false, text: expect.stringContaining('n must be') },
      { ok: false, text: expect.stringContaining('nothing') },
    ],
  ])
})

test('neither the tool itself nor another one that may call tools is called', async () => {
  const { seen } = await play(async (tools) => [await tools.call('script', {}), await tools.call('other', {})])
  const refused = { ok: false, text: expect.stringContaining('because it may call tools itself') }
  expect(seen).toEqual([[refused, refused]])
})

test('what a person or a rule refuses is not run', async () => {
  const approvals: Approvals = {
    ...allowing,
    check: async (tool, args, turn) => {
      if (tool.name === 'echo') throw fail('APPROVAL_DENIED', { subject: 'echo', reason: 'no', setting: 'Never.' })
      return allowing.check(tool, args, turn)
    },
  }
  const { seen } = await play((tools) => tools.call('echo', {}), { approvals })
  expect(seen).toEqual([{ ok: false, text: expect.stringContaining('echo') }])
})

test('calls at the same time run one after another', async () => {
  const { events } = await play((tools) => Promise.all([tools.call('echo', {}), tools.call('echo', {})]))
  expect(heard(events).slice(1, 5)).toEqual(['tool.start echo', 'tool.complete echo', 'tool.start echo', 'tool.complete echo'])
})

test('tools that call others do not run side by side, though their manifest allows it', async () => {
  const { events } = await play((tools) => tools.call('echo', {}), { calls: 2 })
  const one = ['tool.start script', 'tool.start echo', 'tool.complete echo', 'tool.complete script']
  expect(heard(events)).toEqual([...one, ...one])
})

test('files are kept as they were before a call that changes some', async () => {
  expect((await play((tools) => tools.call('echo', {}))).kept).toEqual(['before'])
  expect((await play(async () => undefined)).kept).toEqual([])
})

test('a tool without measure is refused more calls', async () => {
  const { seen } = await play(async (tools) => {
    for (let count = 0; count < 1000; count++) await tools.call('nothing', {})
    return tools.call('echo', {}).catch((error: unknown) => error)
  })
  expect(seen).toEqual([expect.objectContaining({ code: 'TOOL_CALL_REFUSED' })])
})

test('a plugin that does not ask for it has no other tools', async () => {
  expect((await play((tools) => tools.call('echo', {}), { host: [] })).seen).toEqual(['no tools'])
})

test('an interrupted turn ends the calls of its tools', async () => {
  const { events } = await play((tools) => tools.call('wait', {}), { before: 'wait' })
  expect(heard(events)).toEqual(['tool.start script', 'tool.start wait', 'tool.complete wait', 'tool.complete script'])
  expect(events.at(-1)).toMatchObject({ type: 'message.complete', status: 'interrupted' })
})

test('a call does not go on behind the tool that made it', async () => {
  let left: Promise<unknown> | undefined
  const { events } = await play(async (tools, begun) => {
    left = Promise.all([tools.call('wait', {}), tools.call('echo', {})]).catch((error: unknown) => error)
    await begun
  })
  expect(heard(events)).toEqual(['tool.start script', 'tool.start wait', 'tool.complete wait', 'tool.complete script'])
  expect(await left).toMatchObject({ code: 'INTERRUPTED' })
})

test('a person who is still asked about a call is not waited for when the tool that made it has ended', async () => {
  let ask: () => void = () => undefined
  const isAsked = new Promise<void>((resolve) => {
    ask = resolve
  })
  let question: AbortSignal | undefined
  const approvals: Approvals = {
    ...allowing,
    // Nobody answers, and this does not listen to its signal.
    check: async (tool, args, turn) => {
      if (tool.name !== 'echo') return allowing.check(tool, args, turn)
      question = turn.signal
      ask()
      return new Promise(() => undefined)
    },
  }
  let left: Promise<unknown> | undefined
  const { events } = await play(
    async (tools) => {
      left = tools.call('echo', {}).catch((error: unknown) => error)
      await isAsked
    },
    { approvals },
  )
  expect(heard(events)).toEqual(['tool.start script', 'tool.complete script'])
  expect(events.at(-1)).toMatchObject({ type: 'message.complete', status: 'complete' })
  expect(await left).toMatchObject({ code: 'INTERRUPTED' })
  // The question ends with the tool, not with the turn.
  expect(question?.aborted).toBe(true)
})
