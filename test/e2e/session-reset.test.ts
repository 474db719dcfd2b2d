// @module-tag process
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { expect } from 'vitest'
import { proves } from '../spec/proves.ts'
import { addTalk, openTalkGateway } from '../support/gateways/talk-gateway.ts'
import { runAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const hours = 3_600_000

/** A gateway at this time of the wall clock hears one message, answers it and closes. */
async function sayAt(home: TestHome, now: number, id: string): Promise<void> {
  await using gateway = await openTalkGateway(home, { ...createSystemClock(), now: () => now })
  const answer = gateway.answer()
  await gateway.say(id, 'stream 1 tokens')
  expect(await answer).toContain('offline-1')
}

async function countSessions(home: TestHome): Promise<number> {
  return JSON.parse((await runAgent(home, ['sessions', 'list', '--json'])).out).sessions.length
}

/** Midnight by the machine's clock on the wall. */
const midnight = new Date(2026, 2, 11).getTime()

proves('config.session-reset.null', 'a reset policy of nulls is the default one: a conversation begins again at four', async () => {
  using home = openTestHome()
  addTalk(home, 'session_reset: { mode: null, at_hour: null, idle_minutes: null }')
  for (const [index, hour] of [-1, 0.5, 3.9].entries()) await sayAt(home, midnight + hour * hours, `${index}`)
  expect(await countSessions(home)).toBe(1)
  await sayAt(home, midnight + 4.1 * hours, 'after four')
  expect(await countSessions(home)).toBe(2)
})

proves('config.session-reset.zero', 'at_hour: 0 is midnight', async () => {
  using home = openTestHome()
  addTalk(home, 'session_reset: { at_hour: 0 }')
  for (const [index, hour] of [-1, -0.1].entries()) await sayAt(home, midnight + hour * hours, `${index}`)
  expect(await countSessions(home)).toBe(1)
  await sayAt(home, midnight + 0.1 * hours, 'after midnight')
  expect(await countSessions(home)).toBe(2)
  await sayAt(home, midnight + 4.1 * hours, 'after four')
  expect(await countSessions(home)).toBe(2)
})
