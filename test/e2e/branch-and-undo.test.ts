// @module-tag server
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withSessions } from '../../host/src/cli/sessions/testing/home-sessions.ts'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { addTalk, openTalkGateway } from '../support/gateways/talk-gateway.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

test('on a platform /branch goes on in a copy under the same conversation, and /undo takes back what was said there', async () => {
  addTalk(home)
  {
    await using gateway = await openTalkGateway(home, systemClock)
    const say = async (id: string, text: string): Promise<string> => {
      await gateway.say(id, text)
      return gateway.answer()
    }
    expect(await say('1', '/undo')).toBe('There is no session yet: say something first.')
    await say('2', 'stream 1 tokens')
    await say('3', '/title Plan')
    expect(await say('4', '/branch')).toMatch(/^This conversation goes on as "Plan #2" \(ses_\w+\); "Plan" \(ses_\w+\) stays as it is\.$/)
    await say('5', 'stream 2 tokens')
    expect(await say('6', '/undo')).toBe('Taken back: "stream 2 tokens" and what came after it (2 messages in all). 2 messages are left.')
    await say('7', 'stream 3 tokens')
  }
  const told = await withSessions(home, async (sessions) => {
    const found = await sessions.list({ limit: 10 })
    const rows = found.map(async ({ id, title, endReason, messages }) => {
      const asked = (await sessions.history(id)).flatMap((each) => (each.role === 'user' ? each.parts : []))
      return [title, endReason, messages, asked.map((part) => (part.type === 'text' ? part.text : ''))]
    })
    return Promise.all(rows)
  })
  expect(told).toEqual([
    ['Plan #2', null, 4, ['stream 1 tokens', 'stream 3 tokens']],
    ['Plan', 'branch', 2, ['stream 1 tokens']],
  ])
})
