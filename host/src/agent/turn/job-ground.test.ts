import { expect, test } from 'vitest'
import { createTrialBook } from '#models/book.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { PreparedCall, ToolRequest, ToolTurn } from '#tools/tool-turn.ts'
import type { ToolView } from '#tools/toolbox/toolbox.ts'
import { childRequest } from '../delegation/child-request.ts'
import type { DoorRequest } from './prepare-turn.ts'
import { callEvent, end, hello, spec, text, world } from './testing/turn-world.ts'

const people = [{ platform: 'talk', account: 'bot', conversation: { id: 'ann', kind: 'dm' }, sender: { id: 'ann', isBot: false } }] as const
const ground = { asDoors: ['talk'], toolsets: ['web'], speakers: { may: false, people }, countsAs: 'talk', job: 'job_a' }

/** What the tools of a turn may do with jobs. */
async function rightsIn(request: Partial<DoorRequest>): Promise<unknown> {
  const rights: unknown[] = []
  const prepare = async ({ id, name }: ToolRequest, turn: ToolTurn): Promise<PreparedCall> => {
    rights.push(turn.jobRights?.())
    return { ready: false, args: {}, preview: '', done: { outcome: { id, name, ok: true, text: '' }, durationMs: 0 } }
  }
  const toolbox: ToolView = { specs: () => [spec], reachable: () => new Set(), isReplaySafe: () => false, prepare }
  const { run } = world(
    [
      [callEvent('a'), end('tool-calls')],
      [text('Done.'), end()],
    ],
    [],
    { toolbox },
  )
  await run({ ...hello, ...request })
  return rights[0]
}

test('what a door says about jobs reaches the tools of a turn, and what binds a run binds the jobs that it makes', async () => {
  expect(await rightsIn({})).toEqual({ may: true, door: 'cli' })
  expect(await rightsIn({ ...ground, source: 'irc' })).toEqual({ may: false, door: 'irc', doors: ['talk'], people, toolsets: ['web'] })
  expect(await rightsIn({ ...ground, source: 'cron' })).toEqual({ may: false, door: 'talk', people, toolsets: ['web'] })
})

test('a turn that was asked for through other doors offers only what all of them have', async () => {
  const offered: unknown[] = []
  const specs: ToolView['specs'] = (only) => {
    offered.push(only)
    return [spec]
  }
  const toolbox = { specs, reachable: () => new Set<string>(), isReplaySafe: () => false } as unknown as ToolView
  const has: Readonly<Record<string, readonly string[]>> = {
    cron: ['web', 'files', 'mail'],
    talk: ['web', 'files'],
    irc: ['files', 'mail'],
  }
  const { run } = world([[text('Done.'), end()]], [], { toolbox, toolsetsOf: (door) => has[door] })
  await run({ ...hello, source: 'cron', asDoors: ['talk', 'irc'] } as DoorRequest)
  expect(offered).toEqual([['files']])
})

test('a child agent has no more rights over jobs than its parent', () => {
  const child = childRequest({ ...hello, ...ground }, 'owner', {} as never, { goal: 'x', session: 'ses_1' } as never)
  expect(child).toMatchObject(ground)
})

test('model calls count for the job whose run it is', async () => {
  const budgets = [{ tokens: 100_000, per: 'day', job: 'each' }] as const
  const { run, spent } = world([[text('Hi.'), end()]], [], { budgets })
  await run({ ...hello, source: 'cron', job: 'job_a' } as DoorRequest)
  expect(spent).toMatchObject([{ source: 'cron', job: 'job_a' }])
  const full = world([[text('Hi.'), end()]], [], { budgets: [{ tokens: 1, per: 'day', job: 'job_a' }] })
  const of = (job: string) => full.run({ ...hello, source: 'cron', job, canAnswer: false } as DoorRequest)
  expect(await of('job_a')).toContainEqual(
    expect.objectContaining({ type: 'error', error: expect.objectContaining({ code: 'BUDGET_SPENT' }) }),
  )
  expect((await of('job_b')).at(-1)).toMatchObject({ status: 'complete' })
})

test.each([
  [{}, expect.stringMatching(/^ses_/)],
  [{ store: false }, ''],
])('what a tool asks of models counts for the conversation and the job of its turn: %j', async (more, session) => {
  const book = createTrialBook({ usage: { add: async () => undefined }, log: silentLog })
  const seen: unknown[] = []
  const prepare = async ({ id, name }: ToolRequest, turn: ToolTurn): Promise<PreparedCall> => ({
    ...{ ready: true, args: {}, preview: '', parallel: false, replaySafe: false, mayChangeFiles: false },
    run: async (call) => {
      seen.push(book.served.of(call), turn.served)
      return { outcome: { id, name, ok: true, text: '' }, durationMs: 1 }
    },
  })
  const toolbox: ToolView = { specs: () => [spec], reachable: () => new Set(), isReplaySafe: () => false, prepare }
  const steps = [
    [callEvent('a'), end('tool-calls')],
    [text('Done.'), end()],
  ]
  await world(steps, [], { book, toolbox }).run({ ...hello, ...more, source: 'cron', job: 'job_a' } as DoorRequest)
  expect(seen).toMatchObject([
    { session, job: 'job_a' },
    { session, job: 'job_a' },
  ])
})

test('model calls count for the door that the request names', async () => {
  const { run, spent } = world([[text('Hi.'), end()]], [], { budgets: [{ tokens: 100_000, per: 'day', platform: 'talk' }] })
  await run({ ...hello, source: 'cron', person: 'ann', countsAs: 'talk' } as DoorRequest)
  expect(spent).toMatchObject([{ source: 'talk', person: 'ann' }])
  const full = world([[text('Hi.'), end()]], [], { budgets: [{ tokens: 1, per: 'day', platform: 'talk', person: 'each' }] })
  const events = await full.run({ ...hello, source: 'cron', person: 'ann', countsAs: 'talk', canAnswer: false } as DoorRequest)
  expect(events).toContainEqual(expect.objectContaining({ type: 'error', error: expect.objectContaining({ code: 'BUDGET_SPENT' }) }))
})
