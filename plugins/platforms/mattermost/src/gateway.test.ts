// @module-tag process
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { openPlatformGateway, type PlatformGateway } from '../../../../test/support/gateways/platform-gateway.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { type MattermostServer, openMattermostServer } from '../test/mattermost-server.ts'
import { ann, bot, robot, town } from '../test/mattermost-world.ts'

const bounded = { timeout: 20_000, interval: 20 }
const tokens = (count: number): string => Array.from({ length: count }, (_, index) => `offline-${index + 1}`).join(' ')

let mattermost: MattermostServer
let home: TestHome
let gateway: PlatformGateway
/** How much later it is than it seems. */
let ahead = 0
const clock = { ...createSystemClock(), now: () => Date.now() + ahead }

beforeAll(async () => {
  mattermost = await openMattermostServer()
  home = openTestHome()
  home.write('config.yaml', JSON.stringify({ platforms: { mattermost: { enabled: true, batch_ms: 0, busy_input_mode: 'queue' } } }))
  const variables = { MATTERMOST_URL: mattermost.url, MATTERMOST_TOKEN: 'token-of-the-bot', MATTERMOST_ALLOWED_USERS: ann.username }
  gateway = await openPlatformGateway(home, variables, clock)
})
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  home?.[Symbol.dispose]()
  await mattermost?.close()
})

const answers = () => mattermost.world.posts.filter(({ user_id }) => user_id === bot.id)
const newest = () => answers().at(-1)

test('it is connected', async () => {
  await expect.poll(() => gateway.state('mattermost'), bounded).toBe('connected')
})

test('an answer is written before the eyes of who asked, and marked as done', async () => {
  const { id } = mattermost.say('stream 60 tokens every 30 ms')
  await expect.poll(() => newest()?.message, bounded).toBe(tokens(60))
  expect(mattermost.http.journal.filter(({ method }) => method === 'PUT').length).toBeGreaterThan(0)
  expect(mattermost.world.typings.length).toBeGreaterThan(0)
  await expect.poll(() => [...(mattermost.world.reactions.get(id) ?? [])], bounded).toEqual(['white_check_mark'])
})

test('a mention in a channel is answered in a thread that goes on without mentions, and others are left alone', async () => {
  mattermost.say('stream 9 tokens', { channel: town })
  mattermost.say('@agent stream 8 tokens', { channel: town, author: robot })
  const asked = mattermost.say('@agent stream 4 tokens', { channel: town })
  await expect.poll(() => newest(), bounded).toMatchObject({ root_id: asked.id, message: expect.stringContaining('stream 4 tokens') })
  const before = answers().length
  mattermost.say('stream 3 tokens', { channel: town, more: { root_id: asked.id } })
  await expect.poll(() => answers().length, bounded).toBe(before + 1)
  expect(newest()?.root_id).toBe(asked.id)
  expect(answers().filter(({ channel_id, root_id }) => channel_id === town && root_id !== asked.id)).toEqual([])
})

test('a command is written with an exclamation mark, as the server keeps the stroke for itself', async () => {
  mattermost.say('!help')
  await expect.poll(() => newest()?.message, bounded).toContain('/new')
})

test('a dangerous command waits for an answer in words', async () => {
  mattermost.say('run rm -rf /tmp/nothing-of-this-name')
  await expect.poll(() => newest()?.message, bounded).toContain('rm -rf')
  const question = newest()?.id
  mattermost.say('!deny')
  await expect.poll(() => newest()?.id !== question, bounded).toBe(true)
})

test('what is said while the connection is cut is answered afterwards, once', async () => {
  mattermost.http.cut()
  mattermost.say('stream 7 tokens', { untold: true })
  await expect.poll(() => newest()?.message, bounded).toBe(tokens(7))
  mattermost.say('stream 2 tokens')
  await expect.poll(() => newest()?.message, bounded).toBe(tokens(2))
  expect(answers().filter(({ message }) => message === tokens(7))).toHaveLength(1)
})

proves('limit.enterprise-dedup', 'what the server tells again within five minutes is answered once', async () => {
  mattermost.say('stream 5 tokens')
  await expect.poll(() => newest()?.message, bounded).toBe(tokens(5))
  mattermost.retell()
  ahead = 5 * 60_000 - 1
  mattermost.retell()
  mattermost.say('stream 6 tokens')
  await expect.poll(() => newest()?.message, bounded).toBe(tokens(6))
  expect(answers().filter(({ message }) => message === tokens(5))).toHaveLength(1)
})
