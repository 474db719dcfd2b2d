// @module-tag process
import { expect, test } from 'vitest'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { runAgent } from '../../support/run-agent.ts'
import { openTestHome } from '../../support/test-home.ts'

test('a budget holds across processes: one that is spent asks no model, and says what to do', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ answers: [{ text: 'Hi.', usage: { input: 90_000, output: 1000 } }] })
  const write = (tokens: number) =>
    home.write(
      'config.yaml',
      JSON.stringify({
        model: { provider: 'custom', default: 'fake-model', base_url: server.url },
        budgets: [{ tokens, per: 'day', platform: 'oneshot' }],
      }),
    )
  write(95_000)
  const first = await runAgent(home, ['chat', '-z', 'hello'])
  expect([first.code, first.out]).toEqual([0, 'Hi.\n'])
  const second = await runAgent(home, ['chat', '-z', 'hello'])
  expect(second.code).toBe(1)
  expect(second.note).toMatch(/The budget of 95,000 tokens a day for oneshot is spent: 91,000 are taken, and this call needs about/)
  expect(server.requests).toHaveLength(1)
  write(110_000)
  const third = await runAgent(home, ['chat', '-z', 'hello'])
  expect([third.code, third.note]).toEqual([
    0,
    expect.stringMatching(/\d\d % of the budget of 110,000 tokens a day for oneshot are taken\./),
  ])
  expect((await runAgent(home, ['usage', '--by', 'platform'])).out).toMatch(/^oneshot +2 +180,000/m)
})
