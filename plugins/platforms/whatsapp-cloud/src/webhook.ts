import { createHmac } from 'node:crypto'
import {
  type Call,
  type Clock,
  type HttpAdmit,
  type HttpHandler,
  type HttpReply,
  type HttpRequest,
  type InboundMessage,
  type Log,
  type PlatformContext,
  withTimeLimit,
} from '@agent/plugin-sdk'
import { isSameSecret, type Life } from '@agent/plugin-sdk/http'
import { type Receiver, readMessage, readPress } from './inbound.ts'
import type { Memory } from './memory.ts'
import type { Sender } from './outbound.ts'
import type { Settings } from './settings.ts'
import { type Notice, parseNotice, type WhatsappMessage, type WhatsappStatus } from './wire.ts'

export interface WebhookOptions {
  readonly settings: Settings
  readonly accept: (message: InboundMessage) => Promise<void>
  readonly press: PlatformContext['press']
  readonly sender: Sender
  readonly memory: Memory
  readonly clock: Clock
  readonly log: Log
  readonly life: Life
}

const later: HttpReply = { status: 503, headers: { 'retry-after': '10' } }
/** Meta does not wait for ever, and comes again. */
const patienceMs = 8000

/** Refuses what no call of Meta looks like. */
export const admitCall: HttpAdmit = async ({ method, headers }) => {
  if (method === 'GET') return undefined
  if (method !== 'POST') return { status: 405, headers: { allow: 'GET, POST' } }
  return headers['x-hub-signature-256'] === undefined ? { status: 401 } : undefined
}

/** Takes calls of Meta: the handshake by GET, and what happens on the number by POST. */
export function createWebhook(options: WebhookOptions): HttpHandler {
  const { settings, log, life, memory } = options
  return async (request) => {
    if (request.method === 'GET') return shakeHands(request, settings.verifyToken)
    if (settings.appSecret === undefined) return later
    if (!isSigned(request, settings.appSecret)) {
      log.warn('a call with a wrong signature was refused; WHATSAPP_CLOUD_APP_SECRET has to be the secret of the app that calls')
      return { status: 401 }
    }
    life.hear()
    const notice = parseNotice(Buffer.from(request.body).toString(), settings.phoneNumberId, settings.wabaId)
    if (!notice) return { status: 200 }
    for (const status of notice.statuses) readStatus(status, memory, log)
    return await takeAll(options, notice)
  }
}

function shakeHands({ url }: HttpRequest, verifyToken: string | undefined): HttpReply {
  const query = new URL(url, 'http://localhost').searchParams
  const isRight = verifyToken !== undefined && isSameSecret(query.get('hub.verify_token') ?? '', verifyToken)
  if (query.get('hub.mode') !== 'subscribe' || !isRight) return { status: 403 }
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: query.get('hub.challenge') ?? '' }
}

function isSigned({ headers, body }: HttpRequest, appSecret: string): boolean {
  const expected = `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`
  return isSameSecret(headers['x-hub-signature-256'] ?? '', expected)
}

function readStatus({ id, status, errors = [], biz_opaque_callback_data: key }: WhatsappStatus, memory: Memory, log: Log): void {
  const [error] = errors
  const failure = status === 'failed' ? `${error?.title ?? 'it could not be delivered'} (${error?.code ?? 'no code'})` : undefined
  if (failure !== undefined) log.warn('a message that was taken could not be delivered', { detail: failure })
  if (key !== undefined) memory.rememberStatus(key, id, failure)
}

/** Says that all was taken when it was, or asks Meta to come again: what was taken already has the same id then. */
async function takeAll(options: WebhookOptions, notice: Notice): Promise<HttpReply> {
  const { settings, memory, clock } = options
  const receiver: Receiver = { phoneNumberId: settings.phoneNumberId, names: notice.names, findText: memory.text }
  const limit = { clock, ms: patienceMs, what: 'The notice' }
  const taken = withTimeLimit(limit, () => Promise.all(notice.messages.map((message) => takeOne(options, message, receiver))))
  return await taken.then(
    () => ({ status: 200 }),
    () => later,
  )
}

async function takeOne({ accept, memory, ...options }: WebhookOptions, one: WhatsappMessage, receiver: Receiver): Promise<void> {
  const message = readMessage(one, receiver)
  if (message) {
    memory.rememberMessage(message.conversation.id, message.id, message.text)
    return await accept(message)
  }
  const pressed = readPress(one, receiver)
  if (!pressed) return
  const { press, sender, life, log } = options
  const answer = await press(pressed.press)
  const call: Call = { id: one.id, signal: life.signal, deadline: 30_000 }
  await sender
    .answerPress(pressed.press.conversation.id, pressed.question, answer, call)
    .catch((error: unknown) => log.warn('what came of a pressed button could not be shown', { detail: String(error) }))
}
