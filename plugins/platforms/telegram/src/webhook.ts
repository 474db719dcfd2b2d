import type { HttpAdmit, HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { isSameSecret, parseJsonBody } from '@agent/plugin-sdk/http'
import { type Bot, platform } from './bot-api.ts'
import { allowedUpdates, type Reception } from './polling.ts'
import type { Webhook } from './settings.ts'
import { parseUpdate, results } from './wire.ts'

export const webhookPath = '/webhooks/telegram'

const watchMs = 45_000
const busyMs = 5000

/** Lets Telegram push updates; resolves when it has said that it will. */
export async function openWebhook(bot: Bot, { url, secret }: Webhook, reception: Reception): Promise<void> {
  const { api, life, context } = bot
  const admit: HttpAdmit = async ({ method, headers }) => {
    if (!isSameSecret(headers['x-telegram-bot-api-secret-token'] ?? '', secret)) return { status: 401 }
    return method === 'POST' ? undefined : { status: 405, headers: { Allow: 'POST' } }
  }
  const handle = async (request: HttpRequest): Promise<HttpReply> => {
    if (life.signal.aborted) return askAgain(busyMs)
    life.hear()
    return take(bot, reception, request)
  }
  await context.http.route(webhookPath, handle, {}, admit)
  const parameters = {
    url,
    secret_token: secret,
    allowed_updates: allowedUpdates,
    drop_pending_updates: reception.dropPending,
    // One after the other, because what is said in a chat has an order.
    max_connections: 1,
  }
  await api.ask('setWebhook', parameters, results.anything, life.signal)
  life.hear()
  watch(bot, url).catch(life.end)
}

async function take({ context }: Bot, { onUpdate }: Reception, request: HttpRequest): Promise<HttpReply> {
  try {
    const update = parseUpdate(parseJsonBody(request))
    const waitMs = update ? await onUpdate(update) : 0
    return waitMs > 0 ? askAgain(waitMs) : { status: 200 }
  } catch (error) {
    if (isAgentError(error, 'HTTP_CONTENT_TYPE')) return { status: 400 }
    // What cannot be read now cannot be read later: it must not come again.
    if (isAgentError(error, 'HTTP_BAD_JSON')) return drop(context.log, error)
    context.log.warn('an update could not be taken', { error: String(error) })
    return askAgain(busyMs)
  }
}

function drop(log: Bot['context']['log'], error: Error): HttpReply {
  log.warn('an update that cannot be read was dropped', { error: error.message })
  return { status: 200 }
}

/** Telegram offers again what is not answered with success. */
const askAgain = (ms: number): HttpReply => ({ status: 503, headers: { 'Retry-After': String(Math.ceil(ms / 1000)) } })

/** Nobody writes for hours and Telegram is silent then; but it tells whether anything waits that did not reach us. */
async function watch({ api, life, context: { clock, log } }: Bot, url: string): Promise<void> {
  while (!life.signal.aborted) {
    await clock.sleep(watchMs, life.signal)
    const about = await api.ask('getWebhookInfo', {}, results.webhook, life.signal)
    if (about.url !== url) throw fail('PLATFORM_LOST', { platform, detail: 'another program has changed the webhook of this bot' })
    if (about.pending_update_count === 0) life.hear()
    else log.warn('Telegram holds messages that did not reach us', { waiting: about.pending_update_count, error: about.last_error_message })
  }
}
