// @module-tag server

import { expect, test } from 'vitest'
import type { DoorRequest } from '../../../host/src/agent/turn/prepare-turn.ts'
import {
  call,
  delegate,
  delegatedIn,
  eventsOf,
  openScripted,
  resultsIn,
  type ScriptedAgents,
} from '../../support/agents/scripted-agents.ts'
import { openTestHome } from '../../support/test-home.ts'

const parts = (count: number, more: object = {}) => Array.from({ length: count }, (_, at) => ({ goal: `part ${at}`, ...more }))
const saidTo = ({ server }: ScriptedAgents, goal: string): readonly string[] =>
  server.requests.flatMap((request) => (request.raw.includes(`"${goal}"`) ? [resultsIn(request).at(-1) ?? ''] : []))

test('a call beyond a limit starts no child, and says which limit it is', async () => {
  using home = openTestHome()
  await using agents = await openScripted(home, {
    'ask four': [delegate({ tasks: parts(4) }), { text: 'Too many.' }],
    'ask for nothing': [delegate({ goal: '   ' }), { text: 'No.' }],
    'ask for a toolset': [delegate({ goal: 'part 0', toolsets: ['rockets'] }), { text: 'No.' }],
    'ask for neither': [delegate({ context: 'x' }), { text: 'No.' }],
  })
  for (const [said, why] of [
    ['ask four', 'No child agent was started: 4 at a time are more than delegation.max_concurrent_children allows (3)'],
    ['ask for nothing', 'No child agent was started: a task has no goal'],
    ['ask for a toolset', 'this agent has no toolset "rockets"; it has'],
    ['ask for neither', 'it takes a goal, or tasks that have one each'],
  ] as const) {
    const events = await agents.say(said)
    const codes = eventsOf(events, 'tool.complete').map(({ error }) => error?.code)
    expect(codes).toEqual([said === 'ask for neither' ? 'TOOL_ARGUMENTS' : 'DELEGATION_REFUSED'])
    expect(eventsOf(events, 'subagent.spawn_requested')).toEqual([])
    expect(saidTo(agents, said).join()).toContain(why)
  }
})

test('an orchestrator may have children where the depth allows it, and they may not', async () => {
  using home = openTestHome()
  const scripts = {
    'go deep': [delegate({ goal: 'middle', role: 'orchestrator' }), { text: 'Deep.' }],
    middle: [delegate({ goal: 'bottom', role: 'orchestrator' }), { text: 'Half way.' }],
    bottom: [delegate({ goal: 'below' }), { text: 'The end.' }],
  }
  await using agents = await openScripted(home, scripts, { delegation: { max_spawn_depth: 2 } })
  const events = await agents.say('go deep')
  expect(eventsOf(events, 'subagent.complete').map(({ goal, depth, status }) => [goal, depth, status])).toEqual([
    ['bottom', 2, 'completed'],
    ['middle', 1, 'completed'],
  ])
  expect(saidTo(agents, 'middle').join()).toContain('The end.')
  // It may look for tools, and none that it finds is this one.
  const nothing = 'There is no tool "delegate_task". Nearest to it are: (none). tool_search finds others.'
  expect(saidTo(agents, 'bottom').filter((said) => said !== '')).toEqual([nothing])
  const spawned = eventsOf(events, 'subagent.spawn_requested')
  expect(spawned[1]).toMatchObject({ goal: 'bottom', parent: spawned[0]?.id })
})

test('with a depth of 0 nobody hands on tasks, and hears it as it is', async () => {
  using home = openTestHome()
  await using agents = await openScripted(
    home,
    { start: [delegate({ goal: 'more' }), { text: 'Alone.' }] },
    { delegation: { max_spawn_depth: 0 } },
  )
  expect(eventsOf(await agents.say('start'), 'subagent.start')).toEqual([])
  expect(saidTo(agents, 'start').join()).toContain('delegation.max_spawn_depth is 0, so nobody hands on tasks')
})

test('a tree in which every child delegates endlessly ends at the most children that a message may cost', async () => {
  using home = openTestHome()
  const bomb = { role: 'orchestrator', goal: 'again' }
  const more = delegate({ tasks: [bomb, bomb, bomb] })
  await using agents = await openScripted(
    home,
    { start: [more, { text: 'Over.' }], again: [more] },
    {
      delegation: { max_spawn_depth: 100, max_iterations: 6 },
    },
  )
  const events = await agents.say('start')
  expect(eventsOf(events, 'subagent.spawn_requested')).toHaveLength(48)
  expect(eventsOf(events, 'subagent.complete')).toHaveLength(48)
  expect(eventsOf(events, 'message.complete')).toMatchObject([{ status: 'complete', text: 'Over.' }])
  expect(saidTo(agents, 'again').join()).toContain('a message may cost 50 child agents')
}, 60_000)

test('a child has its own number of steps, and one that uses them up says so', async () => {
  using home = openTestHome()
  const searches = [call('search_files', { pattern: 'x' })]
  await using agents = await openScripted(
    home,
    {
      'ask two': [delegate({ tasks: [{ goal: 'long' }, { goal: 'short', max_iterations: 2 }] }), { text: 'Enough.' }],
      long: searches,
      short: searches,
    },
    { delegation: { max_iterations: 3 } },
  )
  const events = await agents.say('ask two')
  expect(delegatedIn(events)).toMatchObject([
    { status: 'failed', exit_reason: 'max_iterations', api_calls: 3, tool_trace: [{}, {}, {}] },
    { status: 'failed', exit_reason: 'max_iterations', api_calls: 2, error: expect.stringContaining('2') },
  ])
  const stored = await Promise.all(delegatedIn(events).map(({ session_id: id }) => agents.agent.store.sessions.find(id)))
  expect(stored.map((session) => session?.endReason)).toEqual(['max_iterations', 'max_iterations'])
})

test('a child whose model fails is a result beside the one that did not', async () => {
  using home = openTestHome()
  await using agents = await openScripted(home, {
    'ask two': [delegate({ tasks: [{ goal: 'bad' }, { goal: 'good' }] }), { text: 'One of them failed.' }],
    bad: [{ refuse: { status: 400, message: 'no such field' } }],
    good: [{ text: 'fine' }],
  })
  const events = await agents.say('ask two')
  expect(delegatedIn(events)).toMatchObject([
    { status: 'failed', exit_reason: 'interrupted', error: expect.stringContaining('no such field'), summary: '' },
    { status: 'completed', exit_reason: 'completed', summary: 'fine' },
  ])
  expect(eventsOf(events, 'message.complete')).toMatchObject([{ status: 'complete' }])
})

test('what children take counts for the job of their parent, and another job goes on', async () => {
  using home = openTestHome()
  const usage = { input: 50_000, output: 10 }
  await using agents = await openScripted(
    home,
    {
      'ask a child': [delegate({ goal: 'costly' }), { text: 'It was costly.' }],
      costly: [{ ...call('search_files', { pattern: 'x' }), usage }, { text: 'never said' }],
      'a small thing': [{ text: 'Done.' }],
    },
    { budgets: [{ tokens: 40_000, per: 'day', job: 'each' }] },
  )
  const of = (job: string): Partial<DoorRequest> => ({ source: 'cron', job })
  const events = await agents.say('ask a child', of('job_a'))
  expect(delegatedIn(events)).toMatchObject([
    { status: 'failed', error: expect.stringContaining('The budget of 40,000 tokens a day by each job is spent') },
  ])
  expect(eventsOf(events, 'error')).toMatchObject([{ error: { code: 'BUDGET_SPENT' } }])
  expect(eventsOf(await agents.say('a small thing', of('job_b')), 'message.complete')).toMatchObject([{ text: 'Done.' }])
  const sessions = (await agents.agent.store.usage.since('')).flatMap(({ job, session }) => (job === 'job_a' ? [session] : []))
  expect(new Set(sessions).size).toBe(2)
})

test('what children take counts for the budget of the door of their parent', async () => {
  using home = openTestHome()
  const usage = { input: 50_000, output: 10 }
  await using agents = await openScripted(
    home,
    {
      'ask a child': [delegate({ goal: 'costly' }), { text: 'It was costly.' }],
      costly: [{ ...call('search_files', { pattern: 'x' }), usage }, { text: 'never said' }],
    },
    { budgets: [{ tokens: 40_000, per: 'day', platform: 'test' }] },
  )
  const events = await agents.say('ask a child')
  expect(delegatedIn(events)).toMatchObject([
    { status: 'failed', error: expect.stringContaining('The budget of 40,000 tokens a day for test is spent') },
  ])
  expect(eventsOf(events, 'error')).toMatchObject([{ error: { code: 'BUDGET_SPENT' } }])
})
