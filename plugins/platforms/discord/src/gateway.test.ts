// @module-tag process
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPlatformGateway, type PlatformGateway } from '../../../../test/support/gateways/platform-gateway.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { type DiscordServer, openDiscordServer } from '../test/discord-server.ts'
import { ann, bot, general, guild } from '../test/discord-world.ts'

const bounded = { timeout: 20_000, interval: 20 }
const tokens = (count: number): string => Array.from({ length: count }, (_, index) => `offline-${index + 1}`).join(' ')

let discord: DiscordServer
let home: TestHome
let gateway: PlatformGateway

beforeAll(async () => {
  discord = await openDiscordServer()
  home = openTestHome()
  const extra = { base_url: discord.url }
  home.write('config.yaml', JSON.stringify({ platforms: { discord: { enabled: true, extra, batch_ms: 0, busy_input_mode: 'queue' } } }))
  gateway = await openPlatformGateway(home, {
    DISCORD_BOT_TOKEN: 'token.of.bot',
    DISCORD_ALLOWED_USERS: ann.id,
  })
})
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  home?.[Symbol.dispose]()
  await discord?.close()
})

const answers = () => discord.world.messages.filter(({ author }) => author === bot.id)
const newest = () => answers().at(-1)

test('it is connected, and its commands stand in the menu', async () => {
  await expect.poll(() => gateway.state('discord'), bounded).toBe('connected')
  await expect.poll(() => discord.world.commands.map(({ name }) => name), bounded).toContain('help')
})

test('an answer is written before the eyes of who asked, and marked as done', async () => {
  const asked = discord.say('stream 60 tokens every 30 ms')
  await expect.poll(() => newest()?.content, bounded).toBe(tokens(60))
  expect(discord.http.journal.filter(({ method }) => method === 'PATCH').length).toBeGreaterThan(0)
  expect(discord.world.typings.length).toBeGreaterThan(0)
  await expect.poll(() => [...asked.reactions.keys()], bounded).toEqual(['✅'])
})

test('a mention in a channel is answered in a thread that goes on without mentions, and others are left alone', async () => {
  discord.say('stream 9 tokens', { channel: general })
  const asked = discord.say('stream 4 tokens', { channel: general, mention: true })
  await expect.poll(() => newest(), bounded).toMatchObject({ channel: asked.id, content: expect.stringContaining('stream 4 tokens') })
  expect(discord.world.channels.get(asked.id)).toMatchObject({ parent_id: general, name: 'stream 4 tokens' })
  const before = answers().length
  discord.say('stream 3 tokens', { channel: asked.id })
  await expect.poll(() => answers().length, bounded).toBe(before + 1)
  expect(newest()?.channel).toBe(asked.id)
  expect(answers().filter(({ channel }) => channel === general)).toEqual([])
})

test('a stranger in a channel gets nothing, not even a thread', async () => {
  const stranger = { id: '666', username: 'mallory' }
  const asked = discord.say('stream 4 tokens', { channel: general, mention: true, author: stranger })
  discord.say('stream 2 tokens')
  await expect.poll(() => newest()?.content, bounded).toBe(tokens(2))
  expect(discord.world.channels.has(asked.id)).toBe(false)
})

test('a dangerous command waits for a button', async () => {
  discord.say('run rm -rf /tmp/nothing-of-this-name')
  const labels = () => newest()?.components.flatMap(({ components }) => components) ?? []
  await expect.poll(() => labels().length, bounded).toBeGreaterThan(1)
  const question = newest()
  expect(question?.content).toContain('rm -rf')
  const deny = labels().find(({ label }) => /deny|no/i.test(label))
  const message = { id: question?.id, content: question?.content }
  discord.interact({ id: '1', type: 3, channel_id: question?.channel, user: ann, data: { custom_id: deny?.custom_id }, message })
  await expect.poll(() => question?.components, bounded).toEqual([])
  await expect.poll(() => newest()?.id !== question?.id, bounded).toBe(true)
})

test('a command of the menu is answered where it was given', async () => {
  discord.interact({ id: '2', type: 2, channel_id: general, guild_id: guild, member: { user: ann, roles: [] }, data: { name: 'help' } })
  await expect.poll(() => newest(), bounded).toMatchObject({ channel: general, content: expect.stringContaining('/new') })
})

test('a file is taken in', async () => {
  const bytes = new TextEncoder().encode('milk and honey')
  discord.say('stream 1 tokens', { files: [{ name: 'note.txt', mime: 'text/plain', bytes }] })
  await expect.poll(() => discord.http.journal.some(({ url }) => url.startsWith('/files/')), bounded).toBe(true)
})
