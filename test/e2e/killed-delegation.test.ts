// @module-tag process
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { silentLog } from '../../host/src/observe/silent-log.ts'
import { nativeBinding } from '../../host/src/store/native.ts'
import type { SessionSummary } from '../../host/src/store/sessions.ts'
import { openStore } from '../../host/src/store/sqlite/open.ts'
import { askedIn, call, delegate, resultsIn, startScripted } from '../support/agents/scripted-agents.ts'
import type { FakeAnswer } from '../support/fakes/fake-vendor.ts'
import { addPostOffice, postOfficeOn } from '../support/gateways/post-office.ts'
import { type AgentProcess, gatewayRuns, startAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

async function startGateway(home: TestHome): Promise<AgentProcess> {
  const agent = startAgent(home, ['gateway', 'run'], { timeoutMs: 60_000, environment: { POST_TOKEN: 'right', POST_ALLOWED_USERS: 'ann' } })
  await agent.heard(gatewayRuns)
  return agent
}

async function sessionsIn(home: TestHome, source: string): Promise<readonly SessionSummary[]> {
  const file = join(home.home, 'state.db')
  const store = await openStore({ file, durability: 'process', clock: systemClock, log: silentLog, nativeBinding: nativeBinding({}) })
  try {
    return [...(await store.sessions.list({ limit: 100, source }))].reverse()
  } finally {
    await store.close()
  }
}

/** How the sessions of the children ended, in the order in which they began. */
const childrenIn = async (home: TestHome): Promise<readonly (string | null)[]> =>
  (await sessionsIn(home, 'subagent')).map(({ endReason }) => endReason)

const append = 'echo ran >> runs.txt'
const hang: FakeAnswer = { hang: 'headers' }

/** What the child does, when the gateway is killed, and what is left of the child. */
const points: readonly {
  readonly name: string
  readonly child: readonly FakeAnswer[]
  readonly parent: FakeAnswer
  readonly due: (seen: { readonly asked: readonly string[]; readonly ran: boolean }) => boolean
  readonly runs: number
  readonly ends: readonly string[]
}[] = [
  {
    ...{ name: 'its first words', child: [hang], parent: hang, runs: 0, ends: [] },
    due: ({ asked }) => asked.includes('work once'),
  },
  {
    ...{ name: 'its tool', child: [call('terminal', { command: `${append}; sleep 60` })], parent: hang, runs: 1, ends: ['interrupted'] },
    due: ({ ran }) => ran,
  },
  {
    ...{ name: 'its second words', child: [call('terminal', { command: append }), hang], parent: hang, runs: 1, ends: ['interrupted'] },
    due: ({ asked }) => asked.filter((text) => text === 'work once').length === 2,
  },
  {
    ...{ name: 'its end', child: [call('terminal', { command: append }), { text: 'Done.' }], parent: hang, runs: 1, ends: ['completed'] },
    due: ({ asked }) => asked.filter((text) => text === 'ask a child').length === 2,
  },
]

test.each(points)(
  'a gateway that is killed at $name of a child answers once after that, runs no tool twice, and concludes the child',
  async ({ child, parent, due, runs, ends }) => {
    using home = openTestHome()
    const office = addPostOffice(home)
    const answers: FakeAnswer[] = [delegate({ goal: 'work once' }), parent]
    await using server = await startScripted({ 'ask a child': answers, 'work once': child })
    const model = { provider: 'custom', default: 'fake-model', base_url: server.url }
    home.write(
      'config.yaml',
      `${postOfficeOn}model: ${JSON.stringify(model)}\nsessions: { auto_title: false }\nterminal: { sandbox: 'off' }\n`,
    )
    office.know([{ id: 'room', kind: 'dm', text: 'ask a child' }])
    const file = join(home.home, 'workspace', 'runs.txt')
    const first = await startGateway(home)
    await expect.poll(() => due({ asked: server.requests.map(askedIn), ran: existsSync(file) }), { timeout: 30_000 }).toBe(true)
    first.child.kill('SIGKILL')
    await first.ended
    const before = server.requests.filter((request) => askedIn(request) === 'work once').length
    answers[1] = { text: 'I was cut off.' }
    const second = await startGateway(home)
    await expect.poll(() => office.posted().length, { timeout: 30_000 }).toBe(1)
    second.child.kill('SIGTERM')
    await second.ended
    expect(office.posted()).toMatchObject([{ text: 'I was cut off.' }])
    expect(server.requests.filter((request) => askedIn(request) === 'work once')).toHaveLength(before)
    expect(existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []).toHaveLength(runs)
    expect(await childrenIn(home)).toEqual(ends)
    const told = resultsIn(server.requests.at(-1) ?? raise()).join()
    if (ends[0] === 'completed') expect(told).toContain('"status":"completed"')
    else expect(told).toContain('delegate_task was interrupted')
  },
  120_000,
)

function raise(): never {
  throw new Error('the model was not asked')
}

test('a program that is killed while a child works concludes it when the session goes on', async () => {
  using home = openTestHome()
  const answers: FakeAnswer[] = [delegate({ goal: 'work once' })]
  await using server = await startScripted({
    'ask a child': answers,
    'go on': [{ text: 'I was cut off.' }],
    'work once': [call('terminal', { command: append }), hang],
  })
  const model = { provider: 'custom', default: 'fake-model', base_url: server.url }
  home.write('config.yaml', `model: ${JSON.stringify(model)}\nsessions: { auto_title: false }\nterminal: { sandbox: 'off' }\n`)
  const run = startAgent(home, ['chat', '-z', 'ask a child'], { timeoutMs: 60_000 })
  await expect.poll(() => server.requests.filter((request) => askedIn(request) === 'work once').length, { timeout: 30_000 }).toBe(2)
  run.child.kill('SIGKILL')
  await run.ended
  expect(await childrenIn(home)).toEqual([null])
  const [parent] = await sessionsIn(home, 'oneshot')
  expect(await startAgent(home, ['chat', '-z', 'go on', '--resume', parent?.id ?? '']).ended).toMatchObject({
    code: 0,
    out: 'I was cut off.\n',
  })
  expect(await childrenIn(home)).toEqual(['interrupted'])
}, 120_000)
