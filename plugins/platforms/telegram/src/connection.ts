import type { Connection, InboundMessage, Mood, Platform } from '@agent/plugin-sdk'
import { connectWithin, createReceiveQueue } from '@agent/plugin-sdk/http'
import { parseMessageId, parsePlace } from './address.ts'
import { type Bot, createBotApi, platform } from './bot-api.ts'
import type { Config } from './config.ts'
import { fetchFile } from './files.ts'
import { readMessage } from './inbound.ts'
import { createMenu, type Menu } from './menu.ts'
import { createSender } from './outbound.ts'
import { openPolling, type Reception } from './polling.ts'
import { answerPress } from './presses.ts'
import { loadSettings } from './settings.ts'
import { openWebhook } from './webhook.ts'
import { results } from './wire.ts'

/** One bot. */
const telegram: Platform<Config> = {
  async connect(context, call) {
    const settings = await loadSettings(context.config, context.secrets)
    const api = createBotApi(context, settings)
    const menu = createMenu(api, settings.mostCommands)
    return await connectWithin(context, platform, call, async (life) => {
      const self = await api.ask('getMe', {}, results.self, life.signal)
      const bot = { context, settings, life, api, self }
      await receive(bot, menu)
      return open(bot, menu)
    })
  },
}

/** Hands in what is said from now on, and what was said since the agent last ran. */
async function receive(bot: Bot, { commandOf }: Menu): Promise<void> {
  const { context, settings, life, self } = bot
  const { clock, state } = context
  const queue = createReceiveQueue({ receive: context.receive, clock, signal: life.signal, onFailure: life.end })
  // A poll waits until the host has room; a push is answered at once, and Telegram offers it again.
  const accept = async (message: InboundMessage): Promise<number> => {
    if (!settings.webhook) return queue(message).then(() => 0)
    const answer = await context.receive(message)
    return answer.status === 'busy' ? answer.retryAfterMs : 0
  }
  const onUpdate: Reception['onUpdate'] = async ({ message, callback_query: query }) => {
    if (query) await answerPress(bot, query)
    const said = message && readMessage(message, { self, commandOf })
    return said ? accept(said) : 0
  }
  const known = `known:${self.id}`
  const reception = { onUpdate, dropPending: settings.dropPending && (await state.get(known)) === undefined }
  await (settings.webhook ? openWebhook(bot, settings.webhook, reception) : openPolling(bot, reception))
  await state.set(known, true)
}

const marks: Readonly<Record<Mood, string>> = { seen: '👀', done: '👍', failed: '👎' }

function open(bot: Bot, { setCommands }: Menu): Connection {
  const { context, settings, life, api, self } = bot
  const { send, edit, finish } = createSender(bot)
  const name = self.username ?? self.first_name
  life.serve()
  context.log.info('connected to Telegram', { bot: name, webhook: settings.webhook !== undefined })
  return {
    send,
    edit,
    setCommands,
    identity: async () => ({ id: String(self.id), name }),
    typing: async (conversation, { signal }) => {
      const place = parsePlace(conversation)
      if (!place) return
      const parameters = { chat_id: place.chat, message_thread_id: place.topic, action: 'typing' }
      await api.ask('sendChatAction', parameters, results.anything, signal)
    },
    react: async ({ id }, mood, { signal }) => {
      const target = parseMessageId(id)
      if (!settings.reactions || !target) return
      // One list of marks replaces the one before.
      const parameters = { chat_id: target.chat, message_id: target.message, reaction: [{ type: 'emoji', emoji: marks[mood] }] }
      await api.ask('setMessageReaction', parameters, results.anything, signal)
    },
    fetchMedia: (attachment, call) => fetchFile(api, attachment, call),
    lastHeard: async () => life.lastHeard(),
    close: async ({ signal }) => {
      await finish(signal)
      life.close()
    },
  }
}

export default telegram
