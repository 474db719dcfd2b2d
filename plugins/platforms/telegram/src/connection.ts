import type { Connection, InboundMessage, Mood, Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { createReceiveQueue, type Life, openLife } from '@agent/plugin-sdk/http'
import { parseMessageId, parsePlace } from './address.ts'
import { type BotApi, createBotApi, platform } from './bot-api.ts'
import type { Config } from './config.ts'
import { fetchFile } from './files.ts'
import { readMessage } from './inbound.ts'
import { createMenu, type Menu } from './menu.ts'
import { createSender } from './outbound.ts'
import { openPolling } from './polling.ts'
import { answerPress } from './presses.ts'
import { loadSettings, type Settings } from './settings.ts'
import { openWebhook } from './webhook.ts'
import { results, type TelegramUser, type Update } from './wire.ts'

/** One bot. */
const telegram: Platform<Config> = {
  async connect(context, call) {
    const settings = await loadSettings(context.config, context.secrets)
    const life = openLife(context, platform)
    const api = createBotApi(context, settings)
    const menu = createMenu(api, settings.mostCommands)
    const giveUp = (): void => life.end(call.signal.reason)
    if (call.signal.aborted) giveUp()
    call.signal.addEventListener('abort', giveUp, { once: true })
    try {
      const self = await api.ask('getMe', {}, results.self, life.signal)
      await receive(context, { settings, life, api, menu, self })
      return open(context, { settings, life, api, menu, self })
    } catch (error) {
      life.end(error)
      if (isAgentError(error)) throw error
      throw fail('PLATFORM_UNREACHABLE', { platform, detail: String(error) }, { cause: error })
    } finally {
      call.signal.removeEventListener('abort', giveUp)
    }
  },
}

interface Parts {
  readonly settings: Settings
  readonly life: Life
  readonly api: BotApi
  readonly menu: Menu
  readonly self: TelegramUser
}

/** Hands in what is said from now on, and what was said since the agent last ran. */
async function receive(context: PlatformContext<Config>, { settings, life, api, menu, self }: Parts): Promise<void> {
  const { clock, state, http, log, press } = context
  const account = String(self.id)
  const queue = createReceiveQueue({ receive: context.receive, clock, signal: life.signal, onFailure: life.end })
  // A poll waits until the host has room; a push is answered at once, and Telegram offers it again.
  const accept = async (message: InboundMessage): Promise<number> => {
    if (!settings.webhook) return queue(message).then(() => 0)
    const answer = await context.receive(message)
    return answer.status === 'busy' ? answer.retryAfterMs : 0
  }
  const presses = { api, press, log, account, signal: life.signal }
  const onUpdate = async ({ message, callbackQuery }: Update): Promise<number> => {
    if (callbackQuery) await answerPress(presses, callbackQuery)
    const said = message && readMessage(message, { self, commandOf: menu.commandOf })
    return said ? accept(said) : 0
  }
  const known = `known:${account}`
  const dropPending = settings.dropPending && (await state.get(known)) === undefined
  const reception = { api, life, clock, dropPending, onUpdate }
  await (settings.webhook ? openWebhook({ ...reception, webhook: settings.webhook, http, log }) : openPolling(reception))
  await state.set(known, true)
}

const marks: Readonly<Record<Mood, string>> = { seen: '👀', done: '👍', failed: '👎' }

function open({ clock, files, log }: PlatformContext<Config>, { settings, life, api, menu, self }: Parts): Connection {
  const sender = createSender({ api, clock, files, linkPreviews: settings.linkPreviews })
  life.serve()
  log.info('connected to Telegram', { bot: self.username ?? self.first_name, webhook: settings.webhook !== undefined })
  return {
    send: sender.send,
    edit: sender.edit,
    identity: async () => ({ id: String(self.id), name: self.username ?? self.first_name }),
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
    setCommands: menu.setCommands,
    lastHeard: async () => life.lastHeard(),
    close: async (call) => {
      await sender.finish(call.signal)
      life.close()
    },
  }
}

export default telegram
