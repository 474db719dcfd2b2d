import { type Allowance, createRateLimiter } from '../../../../test/support/servers/rate-limiter.ts'
import type { Given } from './bot-chats.ts'
import { Refusal } from './refusal.ts'

/** Refuses a call that is one too many. */
export type BotLimits = (method: string, given: Given) => void

const all: Allowance = { name: 'all', burst: 30, everyMs: 1000 / 30 }

/**
 * What Telegram says that bots may do: 30 messages a second in all, one a second in a chat where "short bursts" are let pass (taken as five
 * here), and 20 a minute in a group. Edits count as messages do. https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
 */
export function createBotLimits(now?: () => number): BotLimits {
  const take = createRateLimiter(now)
  return (method, { chat_id }) => {
    if (!/^(send|editMessage)/.test(method) || method === 'sendChatAction') return
    const chat = { name: `chat ${chat_id}`, burst: 5, everyMs: 1000 }
    const group = { name: `group ${chat_id}`, burst: 20, everyMs: 3000 }
    const waitMs = take(all, chat, ...(Number(chat_id) < 0 ? [group] : []))
    const seconds = Math.ceil(waitMs / 1000)
    if (seconds > 0) throw new Refusal(429, `Too Many Requests: retry after ${seconds}`, seconds)
  }
}
