import type { ModelEvent, ToolSpec, TurnEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { systemClock } from '#kernel/clock.ts'
import { createHooks } from '#kernel/hooks/hooks.ts'
import type { Step } from '#store/journal.ts'
import { ok, open, silent } from '#tools/toolbox/testing/toolbox-world.ts'
import { callEvent, end, hello, last, text, world } from './testing/turn-world.ts'

const answer = [text('Done.'), end()]
const through = (id: string, name: string, args: object = {}): readonly ModelEvent[] => [
  callEvent(id, 'tool_call', JSON.stringify({ name, arguments: args })),
  end('tool-calls'),
]
const others = { acme_pay: ok, acme_list: ok }

function deferring(tools: Parameters<typeof open>[0] = { a: { a1: ok }, 'acme-of-others': others }, tool: object = {}) {
  return open(tools, { search: () => ({ enabled: 'on', max_listed: 0, search_default_limit: 5 }), tool }).toolbox
}

const resultsIn = (messages: readonly unknown[]): readonly { name: string; ok: boolean; text: string }[] =>
  messages.flatMap((message) => (message as { results?: [] }).results ?? [])
const started = (events: readonly TurnEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'tool.start' ? event.name : []))

test('the model is told by the name that it called, everybody else by the name of the tool', async () => {
  const hooks = createHooks({ clock: systemClock, log: silent })
  const ended: string[] = []
  hooks.tap('tool.end', { owner: 'watcher' }, async ({ tool }) => void ended.push(tool))
  const { run, asked } = world(
    [[callEvent('s', 'tool_search', '{"query": "pay"}'), end('tool-calls')], through('c', 'acme_pay', { n: 3 }), answer],
    [],
    {
      toolbox: deferring(),
      hooks,
    },
  )
  const events = await run()
  expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['a1', 'tool_search', 'tool_call'])
  expect(asked[1]?.messages.at(-1)).toMatchObject({
    results: [{ name: 'tool_search', ok: true, text: expect.stringContaining('acme_pay') }],
  })
  expect(asked[2]?.messages.at(-1)).toMatchObject({ results: [{ id: 'c', name: 'tool_call', ok: true, text: 'done' }] })
  expect(events).toContainEqual({ type: 'tool.start', id: 'c', name: 'acme_pay', args: { n: 3 }, preview: '' })
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool.complete', id: 'c', name: 'acme_pay', ok: true }))
  expect(ended).toEqual(['tool_search', 'acme_pay'])
  hooks.close()
})

test.each([
  [true, 'done', true],
  [false, 'acme_pay was interrupted', false],
])('the journal names the tool: after a crash a call runs again as its manifest says (%s)', async (replaySafe, told, isOk) => {
  const steps: Step[] = []
  const script = [through('c', 'acme_pay'), answer]
  const toolbox = deferring(undefined, { replaySafe })
  const first = world(script, [], { toolbox })
  const door = { hear: () => undefined, recordStep: async (step: Step) => void steps.push(step) }
  const { release } = await first.turns.take(hello, createCall(new AbortController().signal), { ...door, steps: [] })
  release()
  expect(steps[1]).toEqual({ type: 'tool.start', id: 'c', name: 'acme_pay', args: '{}' })
  const again = world([answer], [], { toolbox })
  const resumed = await again.turns.take(hello, createCall(new AbortController().signal), { ...door, steps: steps.slice(0, 2) })
  resumed.release()
  expect(resultsIn(again.asked[0]?.messages ?? [])).toMatchObject([
    { id: 'c', name: 'tool_call', ok: isOk, text: expect.stringContaining(told) },
  ])
})

test('a session keeps its list, and reaches what was installed since', async () => {
  let toolbox = deferring()
  const { run, asked } = world([answer, through('c', 'late_tool'), answer], [], {
    get toolbox() {
      return toolbox
    },
  })
  await run({ ...hello, session: { key: 'k' } })
  toolbox = deferring({ a: { a1: ok }, 'acme-of-others': others, 'late-of-others': { late_tool: ok } })
  const events = await run({ ...hello, session: { key: 'k' } })
  expect(JSON.stringify(asked[1]?.tools)).toBe(JSON.stringify(asked[0]?.tools))
  expect(started(events)).toEqual(['late_tool'])
})

test('a door reaches the toolsets that it has', async () => {
  const { run, asked } = world([through('c', 'acme_pay'), through('d', 'bcme_pay'), answer], [], {
    toolbox: deferring({ 'acme-of-others': others, 'bcme-of-others': { bcme_pay: ok } }),
    toolsetsOf: () => ['bcme-of-others'],
  })
  await run()
  expect(resultsIn(asked[2]?.messages ?? [])).toMatchObject([
    { ok: false, text: expect.stringContaining('no tool "acme_pay"') },
    { ok: true },
  ])
})

const clientTool = (name: string): ToolSpec => ({ name, description: 'theirs', parameters: { type: 'object' } })

test("a caller's tool takes the place of a tool that is not listed, and goes to the caller", async () => {
  const { run, asked } = world([through('c', 'acme_pay'), [callEvent('d', 'acme_pay'), end('tool-calls')]], [], { toolbox: deferring() })
  const events = await run({ ...hello, clientTools: [clientTool('acme_pay')] })
  expect(resultsIn(asked[1]?.messages ?? [])).toMatchObject([{ ok: false, text: expect.stringContaining('no tool "acme_pay"') }])
  expect(last(events)).toMatchObject({ stop: 'tool-calls', calls: [{ name: 'acme_pay' }] })
})

test('a caller that has one of the pair gets none of it from the agent', async () => {
  const { run, asked } = world([[callEvent('d', 'acme_pay'), end('tool-calls')], answer], [], { toolbox: deferring() })
  await run({ ...hello, clientTools: [clientTool('tool_search')] })
  expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['a1', 'tool_search'])
  expect(resultsIn(asked[1]?.messages ?? [])).toMatchObject([{ ok: false, text: expect.stringContaining('The tools are: a1') }])
})
