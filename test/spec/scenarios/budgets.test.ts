// @module-tag process
import { expect, test } from 'vitest'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { runAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
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
  const second = await runHere(home, ['chat', '-z', 'hello'])
  expect(second.code).toBe(1)
  expect(second.note).toMatch(/The budget of 95,000 tokens a day for oneshot is spent: 91,000 are taken, and this call needs about/)
  expect(server.requests).toHaveLength(1)
  write(110_000)
  const third = await runHere(home, ['chat', '-z', 'hello'])
  expect([third.code, third.note]).toEqual([
    0,
    expect.stringMatching(/\d\d % of the budget of 110,000 tokens a day for oneshot are taken\./),
  ])
  expect((await runHere(home, ['usage', '--by', 'platform'])).out).toMatch(/^oneshot +2 +180,000/m)
})

test('a call whose answer was cut counts by what was sent and received, and usage says that it is an estimate', async () => {
  using home = openTestHome()
  const usage = { input: 100, output: 20 }
  await using server = await startFakeOpenai({
    answers: [
      { text: 'Half of it', cut: true },
      { text: ' and the rest.', usage },
    ],
  })
  home.write('config.yaml', JSON.stringify({ model: { provider: 'custom', default: 'fake-model', base_url: server.url } }))
  expect(await runHere(home, ['chat', '-z', 'hello'])).toMatchObject({ code: 0, out: 'Half of it and the rest.\n' })
  const { usage: rows } = JSON.parse((await runHere(home, ['usage', '--json'])).out) as { usage: unknown[] }
  expect(rows).toMatchObject([{ calls: 2, estimated: 1, usage: { output: 23 } }])
  expect((await runHere(home, ['usage'])).out).toMatch(/^1 call broke off: what was sent and received counts, by an estimate\.$/m)
})
