import type { Log, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { createReceipts } from '@agent/plugin-sdk/http'

export const platform = 'Webhook'

const receipts = createReceipts(platform)

/** The sender of an event does not wait for the answer: it is written to the log. */
export function logAnswer(log: Pick<Log, 'info'>, { key, conversation, text, part }: OutboundMessage): Receipt {
  log.info('answer to a webhook', { delivery: conversation, text, part: part.index + 1, parts: part.total })
  return receipts.sent(key)
}
