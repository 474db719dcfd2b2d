import { expect, test } from 'vitest'
import { createTemporaryStore } from '../testing/temporary-store.ts'
import { dayOf } from '../usage.ts'

const spent = { session: 'ses_a', source: 'cli', person: '', provider: 'far', model: 'big', calls: 2 }
const usage = { input: 10, output: 5, cacheRead: 4, cacheWrite: 1, reasoning: 3 }

test('what model calls took is added up by day, conversation, door and model, across processes', async () => {
  await using temporary = await createTemporaryStore()
  const first = await temporary.open()
  const second = await temporary.open()
  await first.usage.add([{ ...spent, usage }])
  await second.usage.add([
    { ...spent, usage },
    { ...spent, model: 'small', usage },
    { ...spent, session: '', source: 'api', usage },
    { ...spent, person: 'mira', usage },
  ])
  const day = dayOf(temporary.clock.time)
  const twice = { input: 20, output: 10, cacheRead: 8, cacheWrite: 2, reasoning: 6 }
  expect(await first.usage.since(day)).toEqual([
    { ...spent, day, session: '', source: 'api', usage },
    { ...spent, day, calls: 4, usage: twice },
    { ...spent, day, model: 'small', usage },
    { ...spent, day, person: 'mira', usage },
  ])
})

test('calls whose tokens are estimated are counted beside the others', async () => {
  await using temporary = await createTemporaryStore()
  const { usage: ledger } = await temporary.open()
  await ledger.add([{ ...spent, usage }])
  await ledger.add([{ ...spent, calls: 1, estimated: 1, usage }])
  await ledger.add([{ ...spent, calls: 1, estimated: 1, usage }])
  expect(await ledger.since('')).toMatchObject([{ calls: 4, estimated: 2 }])
})

test('days come in their order, from the one that is asked for', async () => {
  await using temporary = await createTemporaryStore()
  const store = await temporary.open()
  const days: string[] = []
  for (let n = 0; n < 3; n++) {
    days.push(dayOf(temporary.clock.time))
    await store.usage.add([{ ...spent, usage }])
    temporary.clock.time += 24 * 3_600_000
  }
  expect((await store.usage.since(days[1] ?? '')).map(({ day }) => day)).toEqual(days.slice(1))
})

test('it stays when its conversation is deleted, and nothing is written for nothing', async () => {
  await using temporary = await createTemporaryStore()
  const { sessions, usage: ledger } = await temporary.open()
  const create = { source: 'cli', provider: 'far', model: 'big', system: '', tools: '[]' }
  await sessions.commit({ session: { id: 'ses_a', create }, messages: [{ role: 'user', parts: [] }], usage, calls: 2, at: 1 })
  await ledger.add([])
  expect(await ledger.since('')).toEqual([])
  await ledger.add([{ ...spent, usage }])
  await sessions.delete('ses_a')
  expect(await ledger.since('')).toHaveLength(1)
})

test('what is taken in a window is what was spent and what is reserved there, by door and by person', async () => {
  await using temporary = await createTemporaryStore()
  const { usage: ledger } = await temporary.open()
  const day = dayOf(temporary.clock.time)
  await ledger.add([
    { ...spent, usage },
    { ...spent, source: 'irc', person: 'mira', usage },
    { ...spent, source: 'irc', person: 'ann', usage },
    { ...spent, source: 'api', person: 'mira', usage },
  ])
  const call = { source: 'irc', person: 'mira', provider: 'far', model: 'big', input: 100, output: 50 }
  const windows = [
    { day },
    { day, source: 'irc' },
    { day, source: 'irc', person: 'mira' },
    { day: dayOf(temporary.clock.time + 24 * 3_600_000) },
  ]
  const inputs = (taken: readonly (readonly { readonly usage: typeof usage }[])[]): readonly number[] =>
    taken.map((rows) => rows.reduce((sum, row) => sum + row.usage.input, 0))
  const first = await ledger.reserve(call, windows)
  expect(inputs(first.taken)).toEqual([40, 20, 10, 0])
  const second = await ledger.reserve(call, windows)
  expect(inputs(second.taken)).toEqual([140, 120, 110, 0])
  expect(second.taken[2]).toEqual([
    { day, provider: 'far', model: 'big', usage: { input: 110, output: 55, cacheRead: 4, cacheWrite: 1, reasoning: 3 } },
  ])
  await ledger.release(first.id)
  await ledger.add([], [second.id])
  expect(inputs((await ledger.reserve({ ...call, input: 1 }, windows)).taken)).toEqual([40, 20, 10, 0])
})

test('what a job took is told apart, and a window of it has what it took and reserved at whichever door, for whomever', async () => {
  await using temporary = await createTemporaryStore()
  const { usage: ledger } = await temporary.open()
  const day = dayOf(temporary.clock.time)
  await ledger.add([
    { ...spent, usage },
    { ...spent, job: 'job_a', usage },
    { ...spent, job: 'job_b', usage },
  ])
  await ledger.add([{ ...spent, job: 'job_a', source: 'irc', person: 'mira', usage }])
  expect((await ledger.since('')).map(({ job, source, calls }) => [job, source, calls])).toEqual([
    [undefined, 'cli', 2],
    ['job_a', 'cli', 2],
    ['job_b', 'cli', 2],
    ['job_a', 'irc', 2],
  ])
  const call = { source: 'cli', person: '', job: 'job_a', provider: 'far', model: 'big', input: 100, output: 50 }
  const windows = [
    { day },
    { day, job: 'job_a' },
    { day, job: 'job_a', source: 'irc' },
    { day, job: 'job_a', source: 'irc', person: 'mira' },
    { day, job: 'job_b' },
  ]
  const inputs = async (): Promise<readonly number[]> =>
    (await ledger.reserve(call, windows)).taken.map((rows) => rows.reduce((sum, row) => sum + row.usage.input, 0))
  expect(await inputs()).toEqual([40, 20, 10, 10, 10])
  expect(await inputs()).toEqual([140, 120, 10, 10, 10])
})

test('what was reserved and never settled is forgotten when no budget looks back so far', async () => {
  await using temporary = await createTemporaryStore()
  const { usage: ledger } = await temporary.open()
  const call = { source: 'irc', person: '', provider: 'far', model: 'big', input: 100, output: 50 }
  await ledger.reserve(call, [])
  temporary.clock.time += 61 * 24 * 3_600_000
  expect((await ledger.reserve({ ...call, model: 'small' }, [{ day: '' }])).taken[0]).toHaveLength(1)
  temporary.clock.time += 2 * 24 * 3_600_000
  expect((await ledger.reserve(call, [{ day: '' }])).taken[0]).toMatchObject([{ model: 'small' }])
})

test('a day is written down where this machine is', () => {
  expect(dayOf(new Date(2026, 0, 5, 23, 59).getTime())).toBe('2026-01-05')
})
