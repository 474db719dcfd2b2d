// @module-tag server
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { nativeBinding } from '#store/native.ts'
import { openStore } from '#store/sqlite/open.ts'
import { dayOf } from '#store/usage.ts'
import { openTestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import type { TestHome } from '../../../../test/support/test-home.ts'

async function spend(home: TestHome, person: string, model: string, input: number): Promise<void> {
  const store = await openStore({
    ...{ file: join(home.home, 'state.db'), durability: 'process', log: silentLog, clock: systemClock },
    nativeBinding: nativeBinding({ folder: home.environment.AGENT_NATIVE_CACHE ?? '' }),
  })
  const usage = { input, output: 10, cacheRead: 5, cacheWrite: 0, reasoning: 2 }
  await store.usage.add([{ session: 'ses_a', source: person === '' ? 'cli' : 'irc', person, provider: 'far', model, calls: 1, usage }])
  await store.close()
}

const config = `prices: [{ provider: far, model: big, input: 2, output: 100, cache_read: 1 }]
budgets:
  - { tokens: 5000, per: day }
  - { money: 2, per: month }
  - { tokens: 2000, per: day, platform: irc, person: each }
`

test('usage is told by day, model and door, with its cost, and with what is taken of the budgets', async () => {
  await using dashboard = await openTestDashboard({ prepare: (home) => void home.write('config.yaml', config) })
  await spend(dashboard.home, '', 'big', 1005)
  await spend(dashboard.home, 'ann', 'small', 90)
  await spend(dashboard.home, 'bob', 'small', 290)
  const { body } = await dashboard.ask('GET', '/api/analytics/usage?days=2')
  const empty = { calls: 0, input: 0, output: 0, cached: 0 }
  // 1,000 × $2 + 5 × $1 + 10 × $100 for a million.
  const cost = 0.003005
  const small = { calls: 2, input: 380, output: 20, cached: 10 }
  const big = { calls: 1, input: 1005, output: 10, cached: 5, cost }
  expect(body).toEqual({
    days: [
      { key: dayOf(Date.now() - 24 * 3_600_000), ...empty },
      { key: dayOf(Date.now()), calls: 3, input: 1385, output: 30, cached: 15, cost },
    ],
    models: [
      { key: 'far/big', ...big },
      { key: 'far/small', ...small },
    ],
    sources: [
      { key: 'cli', ...big },
      { key: 'irc', ...small },
    ],
    budgets: [
      { name: '5,000 tokens a day', used: 1415, limit: 5000, unit: 'tokens' },
      { name: '$2.00 a month', used: cost, limit: 2, unit: 'dollars' },
      { name: '2,000 tokens a day for each person on irc', used: 300, limit: 2000, unit: 'tokens' },
    ],
  })
})

test('nothing was used yet, a count does not fit, and a profile is not there', async () => {
  await using dashboard = await openTestDashboard()
  const { body } = await dashboard.ask('GET', '/api/analytics/usage')
  expect([body.models, body.budgets, (body.days as readonly unknown[]).length]).toEqual([[], [], 30])
  expect((await dashboard.ask('GET', '/api/analytics/usage?days=0')).status).toBe(400)
  expect((await dashboard.ask('GET', '/api/analytics/usage?profile=nobody')).status).toBe(404)
})
