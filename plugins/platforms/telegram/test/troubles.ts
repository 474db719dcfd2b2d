import { createDisturbances, type PlatformCrowd } from '@agent/plugin-sdk/testing'
import type { TelegramServer } from './telegram-server.ts'

const limit = { ok: false, error_code: 429, description: 'Too Many Requests: retry after 1', parameters: { retry_after: 1 } }

/** What can go wrong between this server and the bot. */
export function troublesOf(telegram: TelegramServer): Pick<PlatformCrowd, 'disturb' | 'calm'> {
  return createDisturbances({
    server: telegram.server,
    isSend: ({ url }) => /\/(sendMessage|editMessageText)$/.test(url),
    limit: { type: 'status', status: 429, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(limit) },
    repeat: () => telegram.queue.repeat(),
  })
}
