// @module-tag process
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { addTalk, openTalkGateway, type TalkGateway } from '../support/gateways/talk-gateway.ts'
import { runAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const bounded = { timeout: 10_000 }
const slow = 'stream 500 tokens every 20 ms'

interface Conversation extends AsyncDisposable {
  readonly gateway: TalkGateway
  /** What was answered so far. */
  readonly heard: readonly string[]
  readonly home: TestHome
}

async function openConversation(config: string): Promise<Conversation> {
  const home = openTestHome()
  addTalk(home, config)
  const gateway = await openTalkGateway(home, createSystemClock())
  const heard: string[] = []
  const listen = async (): Promise<never> => {
    for (;;) heard.push(await gateway.answer())
  }
  void listen()
  return {
    gateway,
    heard,
    home,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      home[Symbol.dispose]()
    },
  }
}

test('words interrupt what runs, and the session goes on with them', async () => {
  await using talk = await openConversation('')
  await talk.gateway.say('1', slow)
  await talk.gateway.say('2', '/status')
  await expect.poll(() => talk.heard, bounded).toEqual([expect.stringMatching(/^Here I have been working/)])
  await talk.gateway.say('3', 'stream 2 tokens')
  await expect.poll(() => talk.heard.length, bounded).toBe(3)
  expect(talk.heard[1]).toMatch(/Interrupted\.$/)
  expect(talk.heard[2]).toMatch(/offline-2$/)
})

proves('slash.background', '/background works beside the conversation and tells the result there', async () => {
  await using talk = await openConversation('')
  await talk.gateway.say('1', '/background stream 30 tokens every 20 ms')
  await talk.gateway.say('2', 'stream 2 tokens')
  await expect.poll(() => talk.heard.length, bounded).toBe(3)
  expect(talk.heard.slice(0, 2)).toEqual([expect.stringMatching(/^I work on it in the background/), expect.stringMatching(/offline-2$/)])
  expect(talk.heard[2]).toMatch(/^Done in the background: stream 30[\s\S]*offline-30$/)
})

proves('error.background-result', '/background tells nothing where nothing is to be told', async () => {
  await using talk = await openConversation('background_process_notifications: off')
  await talk.gateway.say('1', '/background stream 1 tokens')
  await expect.poll(() => talk.heard, bounded).toHaveLength(1)
  await talk.gateway.say('2', '/status')
  await expect.poll(() => talk.heard.at(-1), bounded).toBe('Nothing is going on here.')
  expect(talk.heard).toHaveLength(2)
})

test('a dangerous command is asked for in the conversation and runs when it is allowed', async () => {
  await using talk = await openConversation('')
  await talk.gateway.say('1', 'run rm -rf .git')
  await expect.poll(() => talk.heard.at(-1), bounded).toMatch(/^May I do this\?[\s\S]*rm -rf \.git[\s\S]*\/deny\.$/)
  await talk.gateway.say('2', '/deny')
  await expect.poll(() => talk.heard.slice(1).join('\n'), bounded).toMatch(/^Denied\.[\s\S]*Not allowed/)
  await talk.gateway.say('3', 'run rm -rf .git')
  await expect.poll(() => talk.heard.at(-1), bounded).toMatch(/^May I do this/)
  await talk.gateway.say('4', '1')
  await expect.poll(() => talk.heard.slice(-2), bounded).toContain('Allowed once.')
})

test('what is added reaches the running turn before its next step', async () => {
  await using talk = await openConversation('display: { busy_input_mode: steer }')
  await talk.gateway.say('1', 'run sleep 0.5')
  await talk.gateway.say('2', 'and be brief')
  await expect.poll(() => talk.heard.length, bounded).toBe(1)
  await talk.gateway.say('3', '/status')
  await expect.poll(() => talk.heard.at(-1), bounded).toBe('Nothing is going on here.')
  expect(talk.heard).toHaveLength(2)
  expect(talk.heard[0]).toContain('be brief')
})

test('/new while a first turn runs leaves its session behind', async () => {
  await using talk = await openConversation('')
  await talk.gateway.say('1', slow)
  await talk.gateway.say('2', '/status')
  await expect.poll(() => talk.heard, bounded).toHaveLength(1)
  await talk.gateway.say('3', '/new')
  await expect.poll(() => talk.heard, bounded).toHaveLength(3)
  await talk.gateway.say('4', 'stream 2 tokens')
  await expect.poll(() => talk.heard.at(-1), bounded).toMatch(/offline-2$/)
  const { out } = await runAgent(talk.home, ['sessions', 'list', '--json'])
  expect(JSON.parse(out).sessions).toHaveLength(2)
})
