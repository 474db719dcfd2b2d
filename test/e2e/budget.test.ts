// @module-tag process
import { expect, test } from 'vitest'
import type { JobRun } from '../../host/src/store/jobs.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { gatewayRuns, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
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
  const refused = await runHere(home, ['chat', '-z', 'hello'])
  expect(refused.code).toBe(1)
  expect(refused.note).toMatch(/The budget of \$0\.05 a day is spent: \$0\.04\d are taken, and this call needs about \$0\.041\./)
  expect(server.requests).toHaveLength(1)
  home.write('config.yaml', home.read('config.yaml').replace(`"money":${money}`, `"money":${2 * money}`))
  expect(await runHere(home, ['chat', '-z', 'hello'])).toMatchObject({ code: 0, out: 'Hi.\n' })
  const { usage } = JSON.parse((await runHere(home, ['usage', '--json'])).out) as { usage: { cost: number }[] }
  expect(usage.map(({ cost }) => cost)).toEqual([(100 * 0.1 + 10 * 10) / 1e6])
})

test('a job at its cap stops through a kill and a restart, while another one and a person go on', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({
    models: ['mine'],
    answers: ({ raw }) => (raw.includes('take long') ? { hang: 'headers' } : { text: 'Done.', usage: { input: 100, output: 10 } }),
  })
  home.write(
    'config.yaml',
    JSON.stringify({
      model: { provider: 'custom', default: 'mine', base_url: server.url },
      prices: [{ provider: 'custom', model: 'mine', input: 0.1, output: 10 }],
      budgets: [{ money, per: 'day', job: 'each' }],
    }),
  )
  for (const [name, prompt] of [
    ['slow', 'take long'],
    ['quick', 'be quick'],
  ] as const)
    await runHere(home, ['cron', 'add', '0 0 1 1 *', '--name', name, '--deliver', 'local', prompt])
  const start = async () => {
    const agent = startAgent(home, ['gateway', 'run'], { timeoutMs: 60_000 })
    await agent.heard(gatewayRuns)
    return agent
  }
  const run = (name: string) => runHere(home, ['cron', 'run', name])
  const ends = async (name: string) => {
    const { runs } = JSON.parse((await runHere(home, ['cron', 'history', name, '--json'])).out) as { runs: JobRun[] }
    return runs.map(({ state, error }) => [state, error?.code])
  }
  const first = await start()
  await run('slow')
  await expect.poll(() => server.requests.length, { timeout: 15_000 }).toBe(1)
  first.child.kill('SIGKILL')
  await first.ended
  const second = await start()
  for (const name of ['slow', 'quick']) await run(name)
  await expect.poll(() => ends('quick'), { timeout: 15_000 }).toEqual([['ok', undefined]])
  await expect
    .poll(() => ends('slow'), { timeout: 15_000 })
    .toEqual([
      ['failed', 'BUDGET_SPENT'],
      ['lost', undefined],
    ])
  expect(await runHere(home, ['chat', '-z', 'hello'])).toMatchObject({ code: 0, out: 'Done.\n' })
  expect(server.requests).toHaveLength(3)
  second.child.kill('SIGTERM')
  await second.ended
  expect((await runHere(home, ['usage', '--by', 'job'])).out).toMatch(/^quick \(job_\w+\) +1 +100 /m)
})

test('a budget holds to within one turn for 64 turns at once, through a kill and a restart', async () => {
  using home = openTestHome()
  const usage = { input: 60, output: 4000 }
  await using server = await startFakeOpenai({
    models: ['mine'],
    answers: (request) => (JSON.stringify(request.body).includes('and hang') ? { text: 'I', hang: 'body' } : { text: 'Hi.', usage }),
  })
  const tokens = 200_000
  home.write(
    'config.yaml',
    JSON.stringify({
      model: { provider: 'custom', default: 'mine', base_url: server.url },
      budgets: [{ tokens, per: 'day' }],
    }),
  )
  const ask = async (url: string, words: string): Promise<number> => {
    const body = JSON.stringify({ messages: [{ role: 'user', content: words }] })
    const reply = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    await reply.text()
    return reply.status
  }
  const start = async () => {
    const agent = startAgent(home, ['gateway', 'run'], { timeoutMs: 60_000 })
    const [, url = ''] = /listens at (\S+)/.exec(await agent.heard(/listens at \S+\n/)) ?? []
    return { agent, url }
  }
  const first = await start()
  // Of 64 turns at once half hang, and the gateway is killed while they do. How many begin is up to the first ones, which take room for long answers.
  const asked = Array.from({ length: 64 }, (_, index) => ask(first.url, `turn ${index}${index % 2 ? ' and hang' : ''}`).catch(() => 0))
  await Promise.all(asked.filter((_, index) => index % 2 === 0))
  await expect.poll(() => server.requests.filter(({ body }) => JSON.stringify(body).includes('and hang')).length).toBeGreaterThan(0)
  first.agent.child.kill('SIGKILL')
  await first.agent.ended
  await Promise.all(asked)
  const second = await start()
  const later = await Promise.all(Array.from({ length: 64 }, (_, index) => ask(second.url, `later ${index}`)))
  second.agent.child.kill('SIGTERM')
  await second.agent.ended
  const answered = server.requests.filter(({ body }) => !JSON.stringify(body).includes('and hang')).length
  const hung = server.requests.length - answered
  const turn = usage.input + usage.output
  // Nobody knows what the service takes for a call that hung: its answer counts with the 4,096 tokens that were booked for it.
  expect(answered * turn + hung * 4096).toBeLessThanOrEqual(tokens + turn)
  expect([hung > 0, later.filter((status) => status !== 200).length > 0]).toEqual([true, true])
})
