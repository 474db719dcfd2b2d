import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import { type Config, config as schema } from '../src/config.ts'
import { ann, bot, direct, rightToken, room } from './bot-chats.ts'
import { openTelegramServer } from './telegram-server.ts'
import { troublesOf } from './troubles.ts'

/** What the contract suite does with this platform. */
export async function openWorld(): Promise<PlatformWorld> {
  const telegram = await openTelegramServer()
  const config: Config = schema.parse({ base_url: telegram.url, reactions: true })
  const secretsWith = (token: string) => ({ TELEGRAM_BOT_TOKEN: token })
  const ofBot = () => telegram.messages.filter(({ fromBot }) => fromBot)
  const mention = (text: string) => ({ text: `@${bot.username} ${text}`, entities: [{ type: 'mention', offset: 0, length: 10 }] })
  return {
    config,
    secrets: secretsWith(rightToken),
    account: String(bot.id),
    conversation: String(direct.id),
    refused: { config, secrets: secretsWith('42:wrong-token') },
    silent: { config, secrets: secretsWith('42:silence') },
    receiveOne: async (text) => void telegram.say(text),
    redeliver: async () => telegram.queue.repeat(),
    receiveInGroup: async (text, toBot) => void telegram.say(text, { chat: room, ...(toBot && mention(text)) }),
    receiveInThread: async (text) => {
      telegram.say(text, { chat: room, ...mention(text), message_thread_id: room.topics[0], is_topic_message: true, from: ann })
    },
    receiveFile: async (file) => telegram.sendFile(file.mime.startsWith('image/') ? 'photo' : 'document', file),
    sent: () => ofBot().map(({ text }) => text),
    sentInThread: () =>
      ofBot()
        .filter(({ topic }) => topic === room.topics[0])
        .map(({ text }) => text),
    files: () => ofBot().flatMap(({ file }) => (file ? [file] : [])),
    press: async (label) => telegram.press(label),
    buttons: () => (ofBot().at(-1)?.keyboard ?? []).map(({ text }) => text),
    typings: () => telegram.typings.length,
    marks: () => telegram.messages.findLast(({ fromBot }) => !fromBot)?.reactions ?? [],
    menu: () => telegram.menu.map(({ command }) => command),
    disturb: (what) => troublesOf(telegram).disturb(what),
    cut: async () => telegram.server.cut(),
    [Symbol.asyncDispose]: () => telegram[Symbol.asyncDispose](),
  }
}
