import type { PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config as schema } from '../src/config.ts'
import { type Chat, rightToken } from './bot-chats.ts'
import { openTelegramServer } from './telegram-server.ts'
import { troublesOf } from './troubles.ts'

/** Many people who write to the bot. */
export async function openCrowd(): Promise<PlatformCrowd> {
  const chats = Array.from(
    { length: 40 },
    (_, index): Chat => ({ id: 1000 + index, type: 'private', title: `Person ${index}`, topics: [] }),
  )
  const telegram = await openTelegramServer(chats)
  return {
    config: schema.parse({ base_url: telegram.url, drop_pending_on_cold_boot: false }),
    secrets: { TELEGRAM_BOT_TOKEN: rightToken },
    people: chats.length,
    say: (person, text) => {
      const chat = chats[person]
      if (chat) telegram.say(text, { chat, from: { id: chat.id, is_bot: false, first_name: chat.title } })
    },
    heard: (person) => telegram.messages.filter(({ fromBot, chat }) => fromBot && chat === chats[person]?.id).map(({ text }) => text),
    isTaken: () => telegram.queue.waiting().length === 0,
    connections: () => telegram.calls().filter((method) => method === 'getMe').length,
    ...troublesOf(telegram),
    [Symbol.asyncDispose]: () => telegram[Symbol.asyncDispose](),
  }
}
