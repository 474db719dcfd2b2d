import { expect, test } from 'vitest'
import { direct, rightToken, room } from './bot-chats.ts'
import { createBotLimits } from './bot-limits.ts'
import { openTelegramServer, type TelegramServer } from './telegram-server.ts'

async function ask(telegram: TelegramServer, method: string, given: object = {}, token = rightToken) {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`${telegram.url}/bot${token}/${method}`, { method: 'POST', headers, body: JSON.stringify(given) })
  const { result, description, parameters } = (await response.json()) as { result?: unknown; description?: string; parameters?: unknown }
  return { status: response.status, result, description, parameters }
}

const chat = { chat_id: direct.id }
const key = (callback_data: string) => ({ reply_markup: { inline_keyboard: [[{ text: 'x', callback_data }]] } })

test.each<[string, object, string]>([
  ['sendMessage', { ...chat, text: '' }, 'message text is empty'],
  ['sendMessage', { chat_id: 99, text: 'x' }, 'chat not found'],
  ['sendMessage', { ...chat, text: 'x'.repeat(4097) }, 'message is too long'],
  ['sendMessage', { ...chat, text: 'a.', parse_mode: 'MarkdownV2' }, "can't parse entities"],
  ['sendMessage', { ...chat, text: 'x', message_thread_id: 5 }, 'thread not found'],
  ['sendMessage', { chat_id: room.id, text: 'x', message_thread_id: 1 }, 'thread not found'],
  ['sendMessage', { ...chat, text: 'x', reply_parameters: { message_id: 5 } }, 'replied not found'],
  ['sendMessage', { ...chat, text: 'x', ...key('x'.repeat(65)) }, 'BUTTON_DATA_INVALID'],
  ['sendMessage', { ...chat, text: 'x', ...key('') }, 'BUTTON_DATA_INVALID'],
  ['sendPhoto', { ...chat, caption: 'x'.repeat(1025) }, 'caption is too long'],
  ['sendPhoto', chat, 'no photo'],
  ['editMessageText', { ...chat, message_id: 5, text: 'x' }, 'message to edit not found'],
  ['setMessageReaction', { ...chat, message_id: 5, reaction: [] }, 'message to react not found'],
  ['setMyCommands', { commands: [{ command: 'a-b', description: 'x' }] }, 'BOT_COMMAND_INVALID'],
  ['setMyCommands', { commands: [{ command: 'a', description: '' }] }, 'DESCRIPTION_INVALID'],
  ['answerCallbackQuery', { callback_query_id: 'x' }, 'query is too old'],
  ['getFile', { file_id: 'x' }, 'wrong file_id'],
  ['setWebhook', { url: 'https://a.test', secret_token: 'no spaces' }, 'secret token'],
])('%s of %j is refused: %s', async (method, given, words) => {
  await using telegram = await openTelegramServer()
  const { status, description } = await ask(telegram, method, given)
  expect(status).toBe(400)
  expect(description).toContain(words)
})

test('an unknown token, something that is none, and an unknown method are refused each in its way', async () => {
  await using telegram = await openTelegramServer()
  expect(await ask(telegram, 'getMe', {}, '42:wrong')).toMatchObject({ status: 401 })
  expect(await ask(telegram, 'getMe', {}, 'wrong')).toMatchObject({ status: 404 })
  expect(await ask(telegram, 'getEverything')).toMatchObject({ status: 404 })
})

test('updates come until they are acknowledged, and only one program may wait for them', async () => {
  await using telegram = await openTelegramServer()
  const first = ask(telegram, 'getUpdates', { timeout: 5 })
  await expect.poll(() => telegram.calls()).toHaveLength(1)
  const second = ask(telegram, 'getUpdates', { timeout: 5 })
  expect(await first).toMatchObject({ status: 409 })
  telegram.say('hello')
  expect((await second).result).toMatchObject([{ update_id: 1000, message: { text: 'hello' } }])
  expect((await ask(telegram, 'getUpdates')).result).toHaveLength(1)
  expect((await ask(telegram, 'getUpdates', { offset: 1001 })).result).toEqual([])
  await ask(telegram, 'setWebhook', { url: 'https://a.test' })
  expect(await ask(telegram, 'getUpdates')).toMatchObject({ status: 409 })
})

test('a message of somebody else cannot be edited, and an edit has to change something', async () => {
  await using telegram = await openTelegramServer()
  const said = telegram.say('hello')
  expect((await ask(telegram, 'editMessageText', { ...chat, message_id: said, text: 'x' })).description).toContain("can't be edited")
  const { result } = await ask(telegram, 'sendMessage', { ...chat, text: 'x' })
  const own = { ...chat, message_id: (result as { message_id: number }).message_id, text: 'x' }
  expect((await ask(telegram, 'editMessageText', own)).description).toContain('not modified')
  expect((await ask(telegram, 'setMessageReaction', { ...own, reaction: [{ emoji: '🦄' }] })).description).toContain('REACTION_INVALID')
})

test('a call is refused as told, once', async () => {
  await using telegram = await openTelegramServer()
  telegram.refuseNext('getMe', 429, 'Too Many Requests: retry after 3', 3)
  expect(await ask(telegram, 'getMe')).toMatchObject({ status: 429, parameters: { retry_after: 3 } })
  expect(await ask(telegram, 'getMe')).toMatchObject({ status: 200 })
})

test('one message too many is refused with the time to wait', async () => {
  await using telegram = await openTelegramServer(
    undefined,
    createBotLimits(() => 0),
  )
  const say = () => ask(telegram, 'sendMessage', { ...chat, text: 'x' })
  for (let n = 0; n < 5; n++) expect(await say()).toMatchObject({ status: 200 })
  expect(await say()).toMatchObject({ status: 429, description: 'Too Many Requests: retry after 1', parameters: { retry_after: 1 } })
})
