// @module-tag process
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPlatformGateway, type PlatformGateway } from '../../../../test/support/gateways/platform-gateway.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { ann, bot, direct, rightToken, room } from '../test/bot-chats.ts'
import { openTelegramServer, type TelegramServer } from '../test/telegram-server.ts'

const bounded = { timeout: 20_000, interval: 20 }
const tokens = (count: number): string => Array.from({ length: count }, (_, index) => `offline-${index + 1}`).join(' ')

let telegram: TelegramServer
let home: TestHome
let gateway: PlatformGateway

beforeAll(async () => {
  telegram = await openTelegramServer()
  home = openTestHome()
  const extra = { base_url: telegram.url, drop_pending_on_cold_boot: true, reactions: true }
  home.write('config.yaml', JSON.stringify({ platforms: { telegram: { enabled: true, extra, batch_ms: 0, busy_input_mode: 'queue' } } }))
  gateway = await openPlatformGateway(home, {
    TELEGRAM_BOT_TOKEN: rightToken,
    TELEGRAM_ALLOWED_USERS: String(ann.id),
  })
})
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  home?.[Symbol.dispose]()
  await telegram?.[Symbol.asyncDispose]()
})

const answers = () => telegram.messages.filter(({ fromBot }) => fromBot)
const newest = () => answers().at(-1)

test('it is connected, and its commands stand in the menu', async () => {
  await expect.poll(() => gateway.state('telegram'), bounded).toBe('connected')
  await expect.poll(() => telegram.menu.map(({ command }) => command), bounded).toContain('help')
})

test('an answer is written before the eyes of who asked, and marked as done', async () => {
  const asked = telegram.say('stream 60 tokens every 30 ms')
  await expect.poll(() => newest()?.text, bounded).toBe(tokens(60))
  expect(telegram.calls().filter((method) => method === 'editMessageText').length).toBeGreaterThan(0)
  expect(telegram.typings.length).toBeGreaterThan(0)
  await expect.poll(() => telegram.messages.find(({ id }) => id === asked)?.reactions, bounded).toEqual(['👍'])
})

test('in a topic it answers there, only when it is meant, and is told who speaks', async () => {
  const inTopic = { chat: room, message_thread_id: 33, is_topic_message: true }
  telegram.say('stream 9 tokens', inTopic)
  telegram.say(`@${bot.username} stream 4 tokens`, { ...inTopic, entities: [{ type: 'mention', offset: 0, length: 10 }] })
  await expect
    .poll(() => newest(), bounded)
    .toMatchObject({ chat: room.id, topic: 33, text: expect.stringMatching(/Ann Lee.*stream 4 tokens/s) })
  expect(answers().filter(({ chat }) => chat === room.id)).toHaveLength(1)
})

test('a dangerous command waits for a button', async () => {
  telegram.say('run rm -rf /tmp/nothing-of-this-name')
  await expect.poll(() => newest()?.keyboard.length ?? 0, bounded).toBeGreaterThan(1)
  const question = newest()
  expect(question?.text).toContain('rm -rf')
  const deny = question?.keyboard.find(({ text }) => /deny|no/i.test(text))?.text ?? ''
  telegram.press(deny)
  await expect.poll(() => question?.keyboard, bounded).toEqual([])
  await expect.poll(() => newest()?.id !== question?.id, bounded).toBe(true)
  expect(telegram.notices.at(-1)?.text).not.toBe('')
})

test('a file is taken in', async () => {
  telegram.sendFile('document', { name: 'note.txt', mime: 'text/plain', bytes: new TextEncoder().encode('milk and honey') })
  await expect.poll(() => telegram.calls().some((method) => method === 'file-0'), bounded).toBe(true)
  await expect.poll(() => newest()?.chat === direct.id, bounded).toBe(true)
})
