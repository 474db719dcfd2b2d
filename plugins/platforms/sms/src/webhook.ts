import {
  type Clock,
  type HttpAdmit,
  type HttpHandler,
  type HttpReply,
  type InboundMessage,
  type Log,
  withTimeLimit,
} from '@agent/plugin-sdk'
import type { Life } from '@agent/plugin-sdk/http'
import { readMessage } from './inbound.ts'
import type { Settings } from './settings.ts'
import { isSigned } from './signature.ts'
import { maskNumber } from './wire.ts'

export interface WebhookOptions {
  readonly settings: Settings
  readonly accept: (message: InboundMessage) => Promise<void>
  readonly clock: Clock
  readonly log: Log
  readonly life: Life
}

/** Says nothing: the answer goes out as a separate message. */
const taken: HttpReply = {
  status: 200,
  headers: { 'content-type': 'text/xml' },
  body: '<?xml version="1.0" encoding="UTF-8"?><Response></Response>',
}
const later: HttpReply = { status: 503, headers: { 'retry-after': '10' } }

/** Twilio waits 15 seconds. */
const patienceMs = 10_000

/** Refuses what no call of Twilio looks like. */
export function createAdmit({ webhookUrl }: Pick<Settings, 'webhookUrl'>): HttpAdmit {
  return async ({ method, headers }) => {
    if (method !== 'POST') return { status: 405, headers: { allow: 'POST' } }
    if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')) return { status: 415 }
    return webhookUrl !== undefined && headers['x-twilio-signature'] === undefined ? { status: 401 } : undefined
  }
}

/** Takes calls of Twilio. A message is kept on offering when Twilio is told to come again: its id is the same then. */
export function createWebhook({ settings, accept, clock, log, life }: WebhookOptions): HttpHandler {
  const { authToken, webhookUrl } = settings
  const hold = async (message: InboundMessage): Promise<HttpReply> => {
    const accepted = withTimeLimit({ clock, ms: patienceMs, what: 'The message' }, () => accept(message))
    return await accepted.then(
      () => taken,
      () => later,
    )
  }
  return async ({ headers, body }) => {
    const form = new URLSearchParams(Buffer.from(body).toString())
    if (webhookUrl !== undefined && !isSigned(headers['x-twilio-signature'] ?? '', authToken, webhookUrl, form)) {
      log.warn('a call with a wrong signature was refused; SMS_WEBHOOK_URL has to be exactly what Twilio calls')
      return { status: 401 }
    }
    life.hear()
    const message = readMessage(form, settings)
    if (!message) return taken
    log.debug('a text message came', { from: maskNumber(message.sender.id) })
    return await hold(message)
  }
}
