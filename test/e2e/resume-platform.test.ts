// @module-tag server
import { expect, test } from 'vitest'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { addTalk, openTalkGateway } from '../support/gateways/talk-gateway.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

test('on a platform /resume lists what this conversation has had and goes on with one of it', { timeout: 30_000 }, async () => {
  using home = openTestHome()
  addTalk(home)
  await runHere(home, ['chat', '-z', 'count secrets', '--provider', 'offline'])
  const { sessions: others } = JSON.parse((await runHere(home, ['sessions', 'list', '--json'])).out)
  await using gateway = await openTalkGateway(home, systemClock)
  let number = 0
  const say = async (text: string): Promise<string> => {
    const answer = gateway.answer()
    await gateway.say(String(++number), text)
    return await answer
  }
  expect(await say('/resume')).toBe('There are no sessions yet.')
  await say('note the garden')
  await say('/title Garden')
  await say('/new')
  await say('note the kitchen')
  const list = await say('/resume')
  expect(list).toMatch(/note the kitchen.*Garden/s)
  expect(list).not.toContain('secrets')
  expect(await say(`/resume ${others[0].id}`)).toContain('There is no session')
  expect(await say('/resume garden')).toMatch(/^This conversation goes on with "Garden" \(ses_\w+\)\.$/)
  expect(await say('/title')).toContain('Garden')
  await say('note the roses')
  expect(await say('/undo')).toContain('note the roses')
  expect(await say('/undo')).toContain('note the garden')
})
