import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { askedIn, call, delegate, delegatedIn, eventsOf, openScripted, resultsIn, toolsIn } from '../../support/agents/scripted-agents.ts'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { openTestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

const usage = { input: 100, output: 7 }

proves(
  [
    ...(['purpose.delegation', 'subagent.result.model', 'subagent.result.exit-reason'] as const),
    ...(['subagent.result.tokens-input', 'subagent.result.tokens-output', 'subagent.result.api-calls'] as const),
    ...(['subagent.result.tool-trace.entries', 'subagent.result.tool-trace.pairing', 'state.subagent.exit'] as const),
  ],
  'a task goes to a child agent with a session to itself, and comes back with what the child did, field by field',
  async () => {
    using home = openTestHome()
    writeFileSync(join(home.work, 'a.txt'), 'three words here\n')
    const read = (path: string) => JSON.stringify({ path })
    await using agents = await openScripted(home, {
      'ask a child': [delegate({ goal: 'read both files', context: 'They are a.txt and b.txt.' }), { text: 'The child has read them.' }],
      'read both files': [
        // The server gives one of the calls an id, and the other two none.
        {
          calls: [
            { name: 'read_file', args: read('a.txt') },
            { name: 'read_file', args: read('gone.txt'), id: 'call_own' },
            { name: 'read_file', args: read('a.txt') },
          ],
          usage,
        },
        { text: 'a.txt has three words.', usage },
      ],
    })
    const events = await agents.say('ask a child')
    const [child] = delegatedIn(events)
    const heard = resultsIn(agents.server.requests[2] ?? raise())
    expect(child).toMatchObject({
      ...{ status: 'completed', exit_reason: 'completed', summary: 'a.txt has three words.', model: 'fake-model' },
      ...{ tokens: { input: 200, output: 14 }, api_calls: 2 },
      tool_trace: [
        { tool: 'read_file', args_bytes: read('a.txt').length, result_bytes: Buffer.byteLength(heard[0] ?? ''), status: 'ok' },
        { tool: 'read_file', args_bytes: read('gone.txt').length, result_bytes: Buffer.byteLength(heard[1] ?? ''), status: 'error' },
        { tool: 'read_file', args_bytes: read('a.txt').length, result_bytes: Buffer.byteLength(heard[2] ?? ''), status: 'ok' },
      ],
    })
    expect(heard[0]).toContain('three words here')
    const { sessions } = agents.agent.store
    const parent = eventsOf(events, 'message.start')[0]?.session
    expect(await sessions.find(child?.session_id ?? '')).toMatchObject({ source: 'subagent', parent, endReason: 'completed', key: null })
    expect(await sessions.history(child?.session_id ?? '')).toHaveLength(4)
    expect(agents.server.requests[1]?.raw).toContain('They are a.txt and b.txt.')
    expect(agents.server.requests[1]?.raw).not.toContain('ask a child')
    expect(eventsOf(events, 'message.complete')).toMatchObject([{ text: 'The child has read them.', status: 'complete' }])
  },
)

function raise(): never {
  throw new Error('the model was not asked')
}

proves(
  ['event.subagent.start', 'event.subagent.spawn-requested'],
  'the stream of a turn tells what its child agents do, each from the request to its end',
  async () => {
    using home = openTestHome()
    await using agents = await openScripted(home, {
      'ask two': [delegate({ tasks: [{ goal: 'first part' }, { goal: 'second part' }] }), { text: 'Both are done.' }],
      'first part': [call('search_files', { pattern: 'x' }), { text: 'one' }],
      'second part': [{ text: 'two' }],
    })
    const events = await agents.say('ask two')
    const of = (goal: string) => events.filter((event) => 'goal' in event && event.goal === goal).map(({ type }) => type)
    expect(of('first part')).toEqual(['subagent.spawn_requested', 'subagent.start', 'subagent.tool', 'subagent.complete'])
    expect(of('second part')).toEqual(['subagent.spawn_requested', 'subagent.start', 'subagent.complete'])
    const about = { depth: 1, count: 2, id: expect.stringMatching(/^sub_/), session: expect.stringMatching(/^ses_/) }
    expect(eventsOf(events, 'subagent.start')).toContainEqual({
      ...{ type: 'subagent.start', goal: 'second part', index: 1, model: 'fake-model', ...about },
    })
    expect(eventsOf(events, 'subagent.tool')).toMatchObject([{ name: 'search_files', calls: 1, index: 0 }])
    expect(delegatedIn(events).map(({ summary }) => summary)).toEqual(['one', 'two'])
  },
)

proves('config.delegation.endpoint', 'children are sent to the endpoint that delegation names, and their parent is not', async () => {
  using home = openTestHome()
  await using other = await startFakeOpenai({ answers: [{ text: 'From elsewhere.' }], models: ['small-model'], key: 'sk-children' })
  await using agents = await openScripted(
    home,
    { 'ask a child': [delegate({ goal: 'say where you are' }), { text: 'It is elsewhere.' }] },
    { delegation: { base_url: other.url, api_key: 'sk-children', model: 'small-model' } },
  )
  const [child] = delegatedIn(await agents.say('ask a child'))
  expect(child).toMatchObject({ summary: 'From elsewhere.', model: 'small-model', status: 'completed' })
  expect(other.requests).toHaveLength(1)
  expect(agents.server.requests).toHaveLength(2)
})

test('a child has tools of its parent only: none that asks, remembers or delegates, and those of the toolsets that were named', async () => {
  using home = openTestHome()
  await using agents = await openScripted(home, {
    'ask a child': [delegate({ tasks: [{ goal: 'anything' }, { goal: 'only files', toolsets: ['files'] }] }), { text: 'Done.' }],
    anything: [delegate({ goal: 'more' }), { text: 'I cannot.' }],
    'only files': [call('terminal', { command: 'echo hi' }), { text: 'I have no terminal.' }],
  })
  const [any, files] = delegatedIn(await agents.say('ask a child'))
  const asked = (goal: string) =>
    agents.server.requests.find(({ raw }) => raw.includes(`"${goal}"`) && !raw.includes('ask a child')) ?? raise()
  const tools = toolsIn(asked('anything'))
  expect(tools).toEqual(expect.arrayContaining(['terminal', 'read_file']))
  for (const name of ['clarify', 'memory', 'delegate_task', 'cronjob', 'skill_manage']) expect(tools).not.toContain(name)
  expect([...toolsIn(asked('only files'))].sort()).toEqual(['patch', 'read_file', 'search_files', 'write_file'])
  const refused = agents.server.requests.filter((request) => askedIn(request) === 'anything').flatMap(resultsIn)
  // It may look for tools, and none that it finds is this one.
  expect(refused).toEqual(['There is no tool "delegate_task". Nearest to it are: (none). tool_search finds others.'])
  expect([any, files]).toMatchObject([
    { tool_trace: [{ status: 'error' }], summary: 'I cannot.' },
    { tool_trace: [{ tool: 'terminal', status: 'error' }], summary: 'I have no terminal.' },
  ])
})
