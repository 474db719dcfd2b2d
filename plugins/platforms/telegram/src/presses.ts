import type { Bot } from './bot-api.ts'
import { readPress } from './inbound.ts'
import { type CallbackQuery, results, type TelegramMessage } from './wire.ts'

/** Telegram cuts what is shown above a conversation after this. */
const longestNotice = 200
const longestText = 4096

/** Hands in a pressed button and shows what came of it. What cannot be shown is no reason to hand it in again. */
export async function answerPress({ api, context, life, self }: Bot, query: CallbackQuery): Promise<void> {
  const pressed = readPress(query, String(self.id))
  const show = async (method: string, parameters: Record<string, unknown>): Promise<void> => {
    await api.ask(method, parameters, results.anything, life.signal).catch((error: unknown) => {
      context.log.debug('an answer to a pressed button could not be shown', { error: String(error) })
    })
  }
  if (!pressed || !query.message) return show('answerCallbackQuery', { callback_query_id: query.id })
  const { status, text } = await context.press(pressed)
  const taken = status === 'taken'
  await show('answerCallbackQuery', { callback_query_id: query.id, text: text.slice(0, longestNotice), show_alert: !taken })
  if (status !== 'refused') await show(...formatEnd(query.message, taken ? text : ''))
}

/** The question without its buttons, and with the answer below it where it fits. */
function formatEnd({ chat, message_id, text, entities }: TelegramMessage, answer: string): [string, Record<string, unknown>] {
  const target = { chat_id: chat.id, message_id }
  const whole = `${text}\n\n${answer}`
  if (text === undefined || answer === '' || whole.length > longestText) return ['editMessageReplyMarkup', target]
  return ['editMessageText', { ...target, text: whole, entities }]
}
