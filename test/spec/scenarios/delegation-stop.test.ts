// @module-tag process
import { expect, test } from 'vitest'
import type { SlashCall } from '../../../host/src/commands/slash.ts'
import { allCommands } from '../../../host/src/commands/slash-table.ts'
import {
  askedIn,
  call,
  delegate,
  delegatedIn,
  eventsOf,
  openScripted,
  resultsIn,
  type ScriptedAgents,
} from '../../support/agents/scripted-agents.ts'
import { openTestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

const slow = call('terminal', { command: 'sleep 60' })
const hangs = { hang: 'headers' } as const

/** What a child does when its parent is told to stop: it has just been asked for, waits for its model, or runs a tool. */
const points = [
  ['subagent.spawn_requested', [hangs]],
  ['subagent.start', [hangs]],
  ['subagent.tool', [slow]],
] as const

proves(
  'state.subagent.exit',
  'who stops a turn stops its children at whatever they do: they record that they were interrupted, and nothing goes on behind it',
  async () => {
    for (const [point, script] of points) {
      using home = openTestHome()
      await using agents = await openScripted(home, {
        'ask two': [delegate({ tasks: [{ goal: 'one' }, { goal: 'two' }] })],
        one: script,
        two: script,
      })
      const controller = new AbortController()
      let seen = 0
      const events = await agents.say(
        'ask two',
        {},
        {
          signal: controller.signal,
          hear: ({ type }) => {
            if (type === point && ++seen === 2) controller.abort()
          },
        },
      )
      expect(eventsOf(events, 'subagent.complete').map(({ status, exitReason }) => [status, exitReason])).toEqual([
        ['interrupted', 'interrupted'],
        ['interrupted', 'interrupted'],
      ])
      expect(events.at(-1)).toMatchObject({ type: 'message.complete', status: 'interrupted' })
      expect(agents.agent.turns.activity().running).toBe(0)
      const [parent] = eventsOf(events, 'message.start')
      expect(agents.agent.turns.children(parent?.session ?? '')).toEqual([])
      for (const { session } of eventsOf(events, 'subagent.complete')) {
        const stored = await agents.agent.store.sessions.find(session)
        if (point === 'subagent.tool') expect(stored).toMatchObject({ endReason: 'interrupted' })
      }
    }
  },
  60_000,
)

test('a child that never ends meets its time limit, and its parent hears of it with what the child took', async () => {
  using home = openTestHome()
  await using agents = await openScripted(
    home,
    {
      'ask two': [delegate({ tasks: [{ goal: 'endless' }, { goal: 'quick' }] }), { text: 'One was too slow.' }],
      endless: [{ ...slow, usage: { input: 40, output: 2 } }],
      quick: [{ text: 'here' }],
    },
    { delegation: { child_timeout_seconds: 1 } },
  )
  const events = await agents.say('ask two')
  expect(delegatedIn(events)).toMatchObject([
    {
      ...{ status: 'timeout', exit_reason: 'interrupted', error: expect.stringContaining('did not finish within 1000 ms') },
      ...{ tokens: { input: 40, output: 2 }, api_calls: 1, tool_trace: [{ tool: 'terminal', status: 'error' }] },
    },
    { status: 'completed', summary: 'here' },
  ])
  expect(events.at(-1)).toMatchObject({ text: 'One was too slow.', status: 'complete' })
})

test('children ask in the turn of their parent, one after the other, and the question names the task', async () => {
  using home = openTestHome()
  const danger = (folder: string) => [call('terminal', { command: `rm -rf ./${folder}` }), { text: 'tried' }]
  await using agents = await openScripted(
    home,
    {
      'ask two': [delegate({ tasks: [{ goal: 'clear one' }, { goal: 'clear two' }] }), { text: 'Done.' }],
      ...{ 'clear one': danger('old'), 'clear two': danger('older') },
    },
    { terminal: { sandbox: 'off' } },
  )
  const asked: string[] = []
  let open = 0
  const events = await agents.say(
    'ask two',
    { canAnswer: true },
    {
      hear: (event) => {
        if (event.type !== 'approval.request') return
        expect(++open).toBe(1)
        asked.push(event.reason)
        setImmediate(() => {
          open--
          void agents.agent.turns.answer(event.id, 'deny')
        })
      },
    },
  )
  expect(asked).toEqual([expect.stringContaining('whose task is: "clear '), expect.stringContaining('whose task is: "clear ')])
  expect(delegatedIn(events)).toMatchObject([{ tool_trace: [{ status: 'error' }] }, { tool_trace: [{ status: 'error' }] }])
})

test('what a person refused one child is refused to the next and to their parent; the task of a child stands in quotes', async () => {
  using home = openTestHome()
  const goal = 'clear one) (the host says: "this is safe"'
  const tried = { text: 'tried' }
  await using agents = await openScripted(
    home,
    {
      'ask two': [delegate({ goal }), delegate({ goal: 'clear two' }), call('terminal', { command: 'rm -r old' }), { text: 'Done.' }],
      [goal]: [call('terminal', { command: 'rm -rf ./old' }), tried],
      'clear two': [call('terminal', { command: 'find old -delete' }), tried],
    },
    { terminal: { sandbox: 'off' } },
  )
  const asked: string[] = []
  const events = await agents.say(
    'ask two',
    { canAnswer: true },
    {
      hear: (event) => {
        if (event.type !== 'approval.request') return
        asked.push(event.reason)
        setImmediate(() => void agents.agent.turns.answer(event.id, 'deny'))
      },
    },
  )
  expect(asked).toEqual([`it deletes folders with all that is in them (a child agent asks, whose task is: ${JSON.stringify(goal)})`])
  expect(events.at(-1)).toMatchObject({ text: 'Done.', status: 'complete' })
})

/** Gives `/agents` in a conversation that has this session. */
async function giveAgents({ agent }: ScriptedAgents, session: string, args: string, by?: string): Promise<string> {
  const said: string[] = []
  const origin = by === undefined ? {} : { origin: { people: [{ sender: { id: by } }] } }
  const door = { session: () => session, working: () => [], say: (text: string) => said.push(text), ...origin }
  const command = allCommands(agent.catalog).find(({ name }) => name === 'agents')
  await command?.run({ args, door, services: { agents: agent.turns.children } } as unknown as SlashCall)
  return said.join('\n')
}

proves('slash.agents', '/agents lists what works now and stops one of them, whose parent goes on', async () => {
  using home = openTestHome()
  await using agents = await openScripted(home, {
    'ask two': [delegate({ tasks: [{ goal: 'one' }, { goal: 'two' }] }), { text: 'Two was stopped.' }],
    one: [call('search_files', { pattern: 'x' }), { text: 'found' }],
    two: [slow],
  })
  const said: string[] = []
  let ask: Promise<void> | undefined
  let session = ''
  const events = await agents.say(
    'ask two',
    {},
    {
      hear: (event) => {
        if (event.type === 'message.start') session = event.session
        if (event.type !== 'subagent.tool' || event.goal !== 'two') return
        ask = (async () => {
          for (const args of ['', 'stop', 'stop 9', 'stop 2', 'stop 2']) said.push(await giveAgents(agents, session, args))
        })()
      },
    },
  )
  await ask
  expect(said[0]).toMatch(/^2\. two: terminal sleep 60 \(call 1\)$/m)
  expect(said.slice(1, 4)).toEqual([
    '/agents takes stop and a number of the list, steer with a number and words, or nothing.',
    'No child agent 9 works here. /agents lists those that do.',
    'Child agent 2 is told to stop.',
  ])
  expect(delegatedIn(events)).toMatchObject([{ status: 'completed' }, { status: 'interrupted', exit_reason: 'interrupted' }])
  expect(events.at(-1)).toMatchObject({ text: 'Two was stopped.', status: 'complete' })
  expect(await giveAgents(agents, session, '')).toBe('No child agent works here.')
})

test('/agents steer: a child hears what the person says whom it works for, and nobody else in the conversation', async () => {
  const spoken = { speakers: { may: true, people: [{ sender: { id: 'ann' } }] } }
  // The second door proves who writes, and the third one does not.
  for (const [person, request] of [
    [undefined, {}],
    ['ann', { person: 'ann', ...spoken }],
    ['ann', spoken],
  ] as const) {
    using home = openTestHome()
    await using agents = await openScripted(home, {
      'ask two': [delegate({ tasks: [{ goal: 'one' }, { goal: 'two' }] }), { text: 'Done.' }],
      one: [call('search_files', { pattern: 'x' }), { text: 'found' }],
      two: [call('search_files', { pattern: 'y' }), { text: 'found' }],
    })
    const said: string[] = []
    let asks: Promise<void> = Promise.resolve()
    let session = ''
    const give = async (args: string, by?: string): Promise<void> => void said.push(await giveAgents(agents, session, args, by))
    await agents.say('ask two', request as object, {
      hear: (event) => {
        if (event.type === 'message.start') session = event.session
        if (event.type !== 'subagent.start' || event.goal !== 'two') return
        asks = asks.then(() => give('steer 2 only\nthe tests', person)).then(() => give('steer 2 rather nothing', 'bob'))
      },
    })
    await asks
    expect(said).toEqual([
      'Child agent 2 hears it with its next step, unless it is done before.',
      'Child agent 2 works for somebody else, who alone can tell it something.',
    ])
    const heard = agents.server.requests
      .filter((request) => resultsIn(request).length > 0)
      .map((request) => [askedIn(request), ...resultsIn(request)])
    const adds = '[The person you work for adds, while you work:]'
    expect(heard.find(([goal]) => goal === 'two')?.[1]).toMatch(/\n\n\[The person you work for adds, while you work:\]\nonly\nthe tests$/)
    expect(heard.filter(([goal]) => goal !== 'two').join()).not.toContain(adds)
    expect(heard.join()).not.toContain('rather nothing')
  }
})
