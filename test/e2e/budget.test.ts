// @module-tag process
import { expect, test } from 'vitest'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { runAgent, startAgent } from '../support/run-agent.ts'
import { openTestHome } from '../support/test-home.ts'

const money = 0.05

test('a budget in money holds through a kill: what was booked for a call that nobody finished counts on', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({
    models: ['mine'],
    answers: [{ hang: 'headers' }, { text: 'Hi.', usage: { input: 100, output: 10 } }],
  })
  // Each call books 4,096 tokens of an answer: about four cents.
  home.write(
    'config.yaml',
    JSON.stringify({
      model: { provider: 'custom', default: 'mine', base_url: server.url },
      prices: [{ provider: 'custom', model: 'mine', input: 0.1, output: 10 }],
      budgets: [{ money, per: 'day' }],
    }),
  )
  const first = startAgent(home, ['chat', '-z', 'hello'])
  await expect.poll(() => server.requests.length, { timeout: 15_000 }).toBe(1)
  first.child.kill('SIGKILL')
  await first.ended
  const refused = await runAgent(home, ['chat', '-z', 'hello'])
  expect(refused.code).toBe(1)
  expect(refused.note).toMatch(/The budget of \$0\.05 a day is spent: \$0\.041 are taken, and this call needs about \$0\.041\./)
  expect(server.requests).toHaveLength(1)
  home.write('config.yaml', home.read('config.yaml').replace(`"money":${money}`, `"money":${2 * money}`))
  expect(await runAgent(home, ['chat', '-z', 'hello'])).toMatchObject({ code: 0, out: 'Hi.\n' })
  const { usage } = JSON.parse((await runAgent(home, ['usage', '--json'])).out) as { usage: { cost: number }[] }
  expect(usage.map(({ cost }) => cost)).toEqual([(100 * 0.1 + 10 * 10) / 1e6])
})
