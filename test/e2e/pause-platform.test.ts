// @module-tag process
import type { Clock } from '@agent/plugin-sdk'
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { addTalk, openTalkGateway } from '../support/gateways/talk-gateway.ts'
import type { AgentRun } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

/** What `agent chat` says to these lines. */
async function chat(home: TestHome, ...lines: string[]): Promise<string> {
  return (await runHere(home, ['chat', '--provider', 'offline'], { input: `${lines.join('\n')}\n` })).out
}

const run = (home: TestHome, ...words: string[]): Promise<AgentRun> => runHere(home, ['gateway', ...words])

/** A second is short, so that the gateway looks at once for what is wanted. */
function createHastyClock(): Clock {
  const clock = createSystemClock()
  return { now: clock.now, sleep: (ms, signal) => clock.sleep(ms === 1000 ? 50 : ms, signal) }
}

test('a running gateway pauses a platform and resumes it, and a pause outlives the gateway', async () => {
  using home = openTestHome()
  addTalk(home)
  {
    await using gateway = await openTalkGateway(home, createHastyClock())
    expect(await run(home, 'pause', 'talk')).toMatchObject({
      code: 0,
      out: 'talk is paused. agent gateway resume talk connects it again.\n',
    })
    expect(gateway.state()).toBe('paused')
    await expect(gateway.say('1', 'hello')).rejects.toThrow('not connected')
    expect((await run(home, 'status')).out).toMatch(/^ {2}talk: paused for /m)

    expect(await run(home, 'resume', 'talk')).toMatchObject({ code: 0, out: expect.stringMatching(/^talk connects again\./) })
    await expect.poll(gateway.state).toBe('connected')
    const answer = gateway.answer()
    await gateway.say('2', 'stream 1 tokens')
    expect(await answer).toContain('offline-1')
    expect(await chat(home, '/platform', '/platform pause talk')).toMatch(/talk: connected.*The gateway pauses talk within seconds/s)
    await expect.poll(gateway.state).toBe('paused')
  }
  await using again = await openTalkGateway(home, createHastyClock())
  expect([again.state(), again.connected()]).toEqual(['paused', 0])
  await run(home, 'resume', 'talk')
  await expect.poll(again.state).toBe('connected')
})

test('without a gateway the wish waits for the next one, and a name that no platform has is refused', async () => {
  using home = openTestHome()
  addTalk(home)
  const idle = `No gateway runs for ${home.home} now.\n`
  expect(await run(home, 'pause', 'Talk')).toMatchObject({
    code: 0,
    out: `talk stays paused when the gateway starts. agent gateway resume talk connects it again.\n${idle}`,
  })
  expect(await run(home, 'resume', 'talk')).toMatchObject({ code: 0, out: `talk connects when the gateway starts.\n${idle}` })
  expect(await run(home, 'pause', 'tolk')).toMatchObject({ code: 2, out: '', note: expect.stringContaining('Did you mean "talk"?') })
  await using gateway = await openTalkGateway(home, createHastyClock())
  await expect.poll(gateway.state).toBe('connected')
})

test('/platform says what it does not understand', async () => {
  using home = openTestHome()
  addTalk(home)
  const said = await chat(home, '/platform list', '/platform pause', '/platform pause tolk', '/platform stop talk')
  for (const sentence of [
    'No gateway runs for this home.',
    'Name a platform: ',
    'There is no platform "tolk" that could run. Did you mean "talk"?',
    '/platform takes list, pause or resume.',
  ])
    expect(said).toContain(sentence)
})
