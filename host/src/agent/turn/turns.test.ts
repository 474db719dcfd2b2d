import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import type { TitleWriter } from '#models/titles/write-titles.ts'
import type { Session, Sessions } from '#store/sessions.ts'
import type { ToolView } from '#tools/toolbox/toolbox.ts'
import { end, hello, text, world } from './testing/turn-world.ts'

test('who wants a session alone has it while no turn answers in it, and no turn begins meanwhile', async () => {
  let answer = (): void => undefined
  const held = new Promise<void>((resolve) => (answer = resolve))
  const slow = async function* () {
    await held
    yield text('one')
    yield end()
  }
  const { turns, run } = world([slow, [text('two'), end()]])
  const begin = turns.run({ ...hello, session: { key: 'k' } }, createCall(new AbortController().signal))[Symbol.asyncIterator]()
  const started = (await begin.next()).value
  const session = started?.type === 'message.start' ? started.session : ''
  // It is not stored yet, and it is in work all the same.
  await expect(turns.alone(session, async () => 'never')).rejects.toMatchObject({ code: 'SESSION_WAITING' })
  answer()
  while (!(await begin.next()).done);
  const done = await turns.alone(session, async ({ id }) => {
    await expect(run({ ...hello, session: { id } })).rejects.toMatchObject({ code: 'SESSION_WAITING' })
    return id
  })
  expect(done).toBe(session)
  await expect(turns.alone('ses_gone', async () => 'never')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  expect((await run({ ...hello, session: { id: session } })).at(-1)).toMatchObject({ text: 'two' })
})

test('a session that nobody has used for long counts as used before its turn, and is gone where it was deleted just then', async () => {
  const touched: string[] = []
  const old = { id: 'ses_old', lastAt: 1, messages: 0, title: 'plan' } as Session
  const sessions = (isThere: boolean) =>
    ({
      find: async () => old,
      byKey: async () => old,
      heard: async () => [],
      commit: async () => undefined,
      touch: async (id: string) => touched.push(id) > 0 && isThere,
    }) as unknown as Sessions
  const there = world([[text('one'), end()]], [], { sessions: sessions(true) })
  expect((await there.run({ ...hello, session: { id: 'ses_old' } }))[0]).toMatchObject({ session: 'ses_old' })
  const gone = world([[text('two'), end()]], [], { sessions: sessions(false) })
  await expect(gone.run({ ...hello, session: { id: 'ses_old' } })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  expect((await gone.run({ ...hello, session: { key: 'k' } }))[0]).not.toMatchObject({ session: 'ses_old' })
  expect(touched).toHaveLength(3)
})

test('who writes titles hears of each turn of a session when it begins, and when it is over and stored', async () => {
  const told: string[] = []
  const titles: TitleWriter = {
    begins: (session) => void told.push(`begins ${session}`),
    ended: ({ session }, stored, { status }) => void told.push(`ended ${session} ${status} ${stored === undefined ? 'first' : 'later'}`),
  }
  const { turns, run, commits } = world(
    [
      [text('one'), end()],
      [text('two'), end()],
    ],
    [],
    { titles },
  )
  await run({ ...hello, session: { key: 'k' } })
  const [{ session }] = commits as [(typeof commits)[number]]
  expect(told.splice(0)).toEqual([`begins ${session.id}`, `ended ${session.id} complete first`])
  const door = { steps: [], recordStep: async () => undefined, hear: () => undefined }
  const taken = await turns.take({ ...hello, session: { key: 'k' } }, createCall(new AbortController().signal), door)
  expect(told.splice(0)).toEqual([`begins ${session.id}`])
  taken.release()
  expect(told).toEqual([`ended ${session.id} complete later`])
})

test('a turn keeps the tools that it began with, whatever a reload changes meanwhile', async () => {
  const offer = (name: string): ToolView => ({
    specs: () => [{ name, description: name, parameters: { type: 'object' } }],
    reachable: () => new Set(),
    isReplaySafe: () => false,
    prepare: async () => expect.unreachable(),
  })
  const views = ['early', 'late', 'later'].map(offer)
  let reads = 0
  const { run, asked, commits } = world([[text('Done.'), end()]], [], { current: () => views[reads++] ?? offer('last') })
  await run()
  expect([asked[0]?.tools.map(({ name }) => name), commits[0]?.session.create?.tools]).toEqual([
    ['early'],
    expect.stringContaining('"early"'),
  ])
  expect(reads).toBe(1)
})
