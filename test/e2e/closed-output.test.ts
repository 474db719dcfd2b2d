// @module-tag process
import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startAgent } from '../support/run-agent.ts'
import { openTestHome } from '../support/test-home.ts'

const line = (msg: string): string => `${JSON.stringify({ level: 'info', time: 1, pid: 1, name: 'agent', msg })}\n`

test('a command whose reader has gone ends without a word', async () => {
  using home = openTestHome()
  const agent = startAgent(home, ['--help'])
  agent.child.stdout?.destroy()
  expect(await agent.ended).toMatchObject({ code: 0, signal: null, note: '' })
})

test('a log that is followed is followed no further when its reader has gone', async () => {
  using home = openTestHome()
  const log = home.write('logs/agent.log', line('first'))
  const agent = startAgent(home, ['logs', '-f'])
  await agent.heard(/first/)
  agent.child.stdout?.destroy()
  appendFileSync(log, line('second'))
  expect(await agent.ended).toMatchObject({ code: 0, signal: null, note: '' })
})
