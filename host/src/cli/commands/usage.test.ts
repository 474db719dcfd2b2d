import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { nativeBinding } from '#store/native.ts'
import { openStore } from '#store/sqlite/open.ts'
import { specOf } from '#store/testing/jobs-contract.ts'
import { dayOf } from '#store/usage.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { command } from './usage.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

const day = 24 * 3_600_000
const run = (...words: string[]) => runCommand(command, words, { environment: home.environment })

/** Writes down what was taken so many days ago. */
async function spend(daysAgo: number, session: string, model: string, input: number): Promise<void> {
  const store = await openStore({
    ...{ file: join(home.home, 'state.db'), durability: 'process', log: silentLog },
    clock: { ...systemClock, now: () => Date.now() - daysAgo * day },
    nativeBinding: nativeBinding({ folder: home.environment.AGENT_NATIVE_CACHE ?? '' }),
  })
  const usage = { input, output: 10, cacheRead: 5, cacheWrite: 0, reasoning: 2 }
  await store.usage.add([
    { session, source: session === '' ? 'api' : 'cli', person: session === '' ? '' : 'U1', provider: 'far', model, calls: 1, usage },
  ])
  await store.close()
}

const cells = (out: string): readonly (readonly string[])[] =>
  out
    .split('\n')
    .filter(Boolean)
    .map((line) => line.trim().split(/\s{2,}/))

test('tokens are shown apart by day, model, platform or session, with their sum and a chart', async () => {
  await spend(1, 'ses_a', 'big', 1000)
  await spend(0, 'ses_a', 'big', 500)
  await spend(0, '', 'small', 90)
  const [yesterday, today] = [1, 0].map((ago) => dayOf(Date.now() - ago * day))
  expect(cells((await run()).out)).toEqual([
    ['day', 'calls', 'tokens in', 'from cache', 'tokens out', 'thinking'],
    [yesterday, '1', '1,000', '5', '10', '2', '█'.repeat(20)],
    [today, '2', '590', '10', '20', '4', '█'.repeat(12)],
    ['all', '3', '1,590', '15', '30', '6'],
    [expect.stringMatching(/^No price is known for any of it\. agent model --refresh/)],
  ])
  const names = async (by: string) =>
    cells((await run('--by', by)).out)
      .slice(1, -2)
      .map(([name]) => name)
  expect(await names('model')).toEqual(['far/big', 'far/small'])
  expect(await names('platform')).toEqual(['cli', 'api'])
  expect(await names('person')).toEqual(['U1 on cli', '(nobody known on api)'])
  expect(await names('session')).toEqual(['ses_a', '(kept by the caller)'])
})

test('what jobs took is told by their names, that of a removed one by its id', async () => {
  const store = await openStore({
    ...{ file: join(home.home, 'state.db'), durability: 'process', log: silentLog, clock: systemClock },
    nativeBinding: nativeBinding({ folder: home.environment.AGENT_NATIVE_CACHE ?? '' }),
  })
  const { job } = await store.jobs.add(specOf({ name: 'server' }), null)
  const usage = { input: 1, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  const spent = { session: 'ses_a', source: 'cron', person: '', provider: 'far', model: 'big', calls: 1, usage }
  await store.usage.add([spent, { ...spent, job: job.id }, { ...spent, job: job.id, session: 'ses_child' }, { ...spent, job: 'job_gone' }])
  await store.close()
  const rows = cells((await run('--by', 'job')).out).slice(1, -2)
  expect(rows.map(([name, calls]) => [name, calls]).sort()).toEqual([
    ['(no job)', '1'],
    ['job_gone', '1'],
    [`server (${job.id})`, '2'],
  ])
  const read = JSON.parse((await run('--json')).out) as { usage: readonly { job: string | null }[] }
  expect(read.usage.map((row) => row.job).sort()).toEqual(['job_gone', job.id, job.id, null].sort())
})

test('what child agents took is shown with the conversation of their parent', async () => {
  await spend(0, 'ses_a', 'big', 100)
  await spend(0, 'ses_b', 'big', 20)
  await spend(0, 'ses_c', 'big', 3)
  await spend(0, 'ses_d', 'big', 7)
  const store = await openStore({
    ...{ file: join(home.home, 'state.db'), durability: 'process', log: silentLog, clock: systemClock },
    nativeBinding: nativeBinding({ folder: home.environment.AGENT_NATIVE_CACHE ?? '' }),
  })
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  for (const [id, parent] of [
    ['ses_b', 'ses_a'],
    ['ses_c', 'ses_b'],
    ['ses_e', 'ses_d'],
  ] as const) {
    const create = { source: 'subagent', provider: 'far', model: 'big', system: '', tools: '[]', parent }
    await store.sessions.commit({ session: { id, create }, messages: [], usage, calls: 0, at: 1 })
  }
  await store.close()
  const rows = cells((await run('--by', 'session')).out).slice(1, -2)
  expect(rows.map(([name, calls, input]) => [name, calls, input])).toEqual([
    ['ses_a, with 2 child agents', '3', '123'],
    ['ses_d', '1', '7'],
  ])
})

test('only the days that were asked for count, as JSON too', async () => {
  await spend(3, 'ses_old', 'big', 1)
  await spend(0, 'ses_new', 'big', 1)
  const { usage } = JSON.parse((await run('--days', '3', '--json')).out) as { usage: readonly { session: string }[] }
  expect(usage.map(({ session }) => session)).toEqual(['ses_new'])
  expect((await run('--days', '4')).out).toMatch(/^all +2/m)
})

test('nothing, and what is no number or no group, is said', async () => {
  expect((await run()).out).toBe('No model was asked in 30 days.\n')
  expect((await run('--days', '1')).out).toBe('No model was asked in one day.\n')
  for (const words of [
    ['--by', 'moon'],
    ['--days', '0'],
    ['--days', 'x'],
  ])
    expect(await run(...words)).toMatchObject({ code: 2, error: 'USAGE' })
})

test('what tokens cost is told where their models have a price, with what is not counted in it', async () => {
  home.write('config.yaml', 'prices: [{ provider: far, model: big*, input: 2, output: 100, cache_read: 1 }]\n')
  await spend(0, 'ses_a', 'big', 1005)
  await spend(0, 'ses_b', 'small', 90)
  const rows = cells((await run('--by', 'model')).out)
  // 1,000 × $2 + 5 × $1 + 10 × $100 for a million.
  expect(rows.slice(1, 4).map(([name, , , , , , cost]) => [name, cost])).toEqual([
    ['far/big', '$0.003'],
    ['far/small', expect.stringMatching(/^█+$/)],
    ['all', '≥ $0.003'],
  ])
  expect(rows.at(-1)?.join(' ')).toMatch(/^≥: some of it has no price/)
  const { usage } = JSON.parse((await run('--json')).out) as { usage: { model: string; cost: unknown }[] }
  expect(usage.map(({ model, cost }) => [model, cost])).toEqual([
    ['big', 0.003005],
    ['small', null],
  ])
})
