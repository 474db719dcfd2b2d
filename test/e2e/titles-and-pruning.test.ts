// @module-tag server
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withSessions } from '../../host/src/cli/sessions/testing/home-sessions.ts'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { addTalk, openTalkGateway } from '../support/gateways/talk-gateway.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  addTalk(home)
})
afterEach(() => home[Symbol.dispose]())

const titles = () => withSessions(home, async (sessions) => (await sessions.list({ limit: 10 })).map(({ title }) => title))

test('a conversation on a platform gets a title of the model, unless the settings say no', async () => {
  await using server = await startFakeOpenai({ models: ['m'], answers: () => ({ text: 'Boats in spring' }) })
  const task = { provider: 'custom', model: 'm', base_url: server.url }
  const before = home.read('config.yaml')
  for (const [auto_title, expected] of [
    [false, null],
    [true, 'Boats in spring'],
  ] as const) {
    home.write(
      'config.yaml',
      `${before}auxiliary: { title_generation: ${JSON.stringify(task)} }\nsessions: { auto_title: ${auto_title} }\n`,
    )
    await using gateway = await openTalkGateway(home, systemClock)
    await gateway.say(`${auto_title}`, 'stream 1 tokens')
    expect(await gateway.answer()).toBe('offline-1')
    if (auto_title) await expect.poll(titles).toContain(expected)
    else expect(await titles()).toEqual([expected])
  }
})

test('a gateway deletes what nobody has used for long where the settings say so', async () => {
  {
    await using gateway = await openTalkGateway(home, systemClock)
    await gateway.say('1', 'stream 1 tokens')
    await gateway.answer()
  }
  const later = { ...systemClock, now: () => systemClock.now() + 100 * 24 * 3_600_000 }
  home.write('config.yaml', `${home.read('config.yaml')}sessions: { auto_prune: true, retention_days: 99 }\n`)
  await using _gateway = await openTalkGateway(home, later)
  await expect.poll(titles).toEqual([])
})
