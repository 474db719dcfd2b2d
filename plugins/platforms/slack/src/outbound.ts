import { createHash } from 'node:crypto'
import type { Button, Call, Connection, LostSend, OutboundMessage, Receipt, Wire } from '@agent/plugin-sdk'
import { fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { createReceipts, createSendGate, sendRequest } from '@agent/plugin-sdk/http'
import { type Api, type Arguments, isRefusedToken, isTrouble, platform } from './api.ts'
import { uploadFiles } from './files.ts'
import { escapeText, formatBody } from './markup.ts'
import { buttonsBlock } from './press.ts'
import { parseProblem, readJson, replies } from './wire.ts'
import type { App } from './workspaces.ts'

export interface Sender extends Required<Pick<Connection, 'send' | 'edit' | 'findSent'>> {
  finish(signal: AbortSignal): Promise<void>
}

const { notSent, refused, unknown } = createReceipts(platform)

export function createSender(app: App): Sender {
  const { signal } = app.life
  const gate = createSendGate(() => notSent('the connection is gone'))
  const run = (send: () => Promise<Receipt>): Promise<Receipt> =>
    signal.aborted ? Promise.reject(notSent('the connection is gone')) : gate.run(() => turnRefusal(send))
  return {
    send: (message, call) => run(() => deliver(app, message, call)),
    edit: (id, message, call) => run(() => replace(app, id, message, call)),
    findSent: (lost, call) => findSent(app, lost, call),
    finish: gate.finish,
  }
}

/** What Slack refuses before the message itself went out is a refusal of the message. */
async function turnRefusal(send: () => Promise<Receipt>): Promise<Receipt> {
  try {
    return await send()
  } catch (error) {
    if (isAgentError(error, 'SEND_REFUSED') || isAgentError(error, 'PLATFORM_AUTH')) return { status: 'refused', error: toWireError(error) }
    throw error
  }
}

interface Place {
  readonly api: Api
  readonly channel: string
  readonly thread: string | undefined
}

/** Where a conversation is: `C…`, a thread `C…/ts`, or a person `U…`, who is written to directly. */
async function openPlace(app: App, conversation: string, account: string, signal: AbortSignal): Promise<Place> {
  const [id = '', thread] = conversation.split('/')
  const { api } = app.find(account) ?? app.locate(id)
  if (!/^[UW]/.test(id)) return { api, channel: id, thread }
  const { channel } = await api.ask(replies.direct, 'conversations.open', { users: id }, signal)
  return { api, channel: channel.id, thread }
}

async function deliver(app: App, message: OutboundMessage, call: Call): Promise<Receipt> {
  const place = await openPlace(app, message.conversation, message.account, call.signal)
  const { media = [], buttons = [] } = message
  if (media.length === 0) return await post(app, place, message, call)
  const { state } = app.context
  const stored = `upload:${hashKey(message.key)}`
  const ids = await uploadFiles(app, place.api, media, call)
  // Files carry no metadata: this is how they are found again after a crash.
  await state.set(stored, ids)
  const comment = buttons.length > 0 ? '' : formatText(message)
  const values = {
    files: ids.map((id) => ({ id })),
    channel_id: place.channel,
    thread_ts: place.thread,
    initial_comment: comment || undefined,
  }
  const readId = (body: string): string | undefined => readJson(replies.shared, body)?.files[0]?.id
  const shared = await write(app, place.api, 'files.completeUploadExternal', values, readId, call)
  if (shared.status !== 'unknown') await state.delete(stored)
  return shared.status === 'sent' && buttons.length > 0 ? await post(app, place, message, call) : shared
}

async function post(app: App, { api, channel, thread }: Place, message: OutboundMessage, call: Call): Promise<Receipt> {
  const { unfurl_links, unfurl_media } = app.settings
  const metadata = { event_type: 'agent_message', event_payload: { key: hashKey(message.key) } }
  const values = { channel, thread_ts: thread, unfurl_links, unfurl_media, metadata, ...formatContent(message) }
  return await write(app, api, 'chat.postMessage', values, readTime, call)
}

/** Bytes of the text of an edit, as it is sent. */
const mostEdited = 4000
const isTooLong = (text: string): boolean => Buffer.byteLength(text) > mostEdited

async function replace(app: App, ts: string, message: OutboundMessage, call: Call): Promise<Receipt> {
  const { api, channel } = await openPlace(app, message.conversation, message.account, call.signal)
  const content = formatEdit(message)
  if (content === undefined) {
    // The answer comes as a separate message, which has more room, and the half of it here goes.
    await api.ask(replies.done, 'chat.delete', { channel, ts }, call.signal).catch((error: unknown) => {
      if (!isAgentError(error, 'SEND_REFUSED')) throw error
    })
    return refused('the text is too long for an edit')
  }
  // Without the empty list Slack would keep the buttons.
  return await write(app, api, 'chat.update', { channel, ts, blocks: [], ...content }, readTime, call)
}

/** A preview is cut where an edit ends; undefined for an answer that does not fit. */
function formatEdit(message: OutboundMessage): Arguments | undefined {
  if (!isTooLong(formatText(message))) return formatContent(message)
  if (message.preview) return { text: cutEscaped(escapeText(message.text)) }
  return undefined
}

function cutEscaped(text: string): string {
  const bytes = Buffer.from(text).subarray(0, mostEdited - 3)
  return `${bytes.toString().replace(/(\uFFFD|&[a-z]{0,3})$/, '')}…`
}

const readTime = (body: string): string | undefined => readJson(replies.posted, body)?.ts

/** Has a message written; one whose buttons Slack cannot show is written as text. */
async function write(
  { context: { clock } }: App,
  api: Api,
  method: string,
  values: Arguments,
  readId: (body: string) => string | undefined,
  call: Call,
): Promise<Receipt> {
  let malformed = false
  let ended: string | undefined
  const attempt = (given: Arguments): Promise<Receipt> =>
    sendRequest({
      platform,
      clock,
      call,
      request: (signal) => api.post(method, given, signal),
      readId,
      readProblem: (body) => {
        const problem = parseProblem(body)
        malformed = problem?.error.startsWith('invalid_blocks') ?? false
        ended = problem && isRefusedToken(problem.error) ? problem.detail : undefined
        return { detail: problem && !isTrouble(problem.error) ? problem.detail : undefined }
      },
    })
  const receipt = await attempt(values)
  if (ended !== undefined) return { status: 'refused', error: toWireError(fail('PLATFORM_AUTH', { platform, detail: ended })) }
  return malformed && values.blocks ? await attempt({ ...values, blocks: undefined }) : receipt
}

function formatText({ text, body, preview }: OutboundMessage): string {
  return preview || !body ? escapeText(text) : formatBody(body)
}

function formatContent(message: OutboundMessage): Arguments {
  const text = formatText(message)
  if (!message.buttons?.length) return { text }
  // A section holds 3,000 characters.
  const sections = (text.match(/[\s\S]{1,3000}/gu) ?? []).map((part) => ({ type: 'section', text: { type: 'mrkdwn', text: part } }))
  return { text, blocks: [...sections, { type: 'actions', block_id: buttonsBlock, elements: message.buttons.map(formatButton) }] }
}

function formatButton({ id, label, style }: Button, index: number): Wire {
  const text = label.length > 75 ? `${label.slice(0, 74)}…` : label
  return {
    type: 'button',
    action_id: `agent-${index}`,
    value: id,
    text: { type: 'plain_text', text, emoji: true },
    ...(style && { style }),
  }
}

/** Only this goes to Slack, where every member can read it. */
function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

/** Reads what was said until the message is found or the beginning is reached. */
async function findSent(app: App, { key, account, conversation }: LostSend, call: Call): Promise<Receipt | null> {
  const hash = hashKey(key)
  const stored = await app.context.state.get(`upload:${hash}`)
  const uploads = new Set(Array.isArray(stored) ? stored : [])
  try {
    const { api, channel, thread } = await openPlace(app, conversation, account, call.signal)
    const method = thread === undefined ? 'conversations.history' : 'conversations.replies'
    const values = { channel, ts: thread, limit: 200, include_all_metadata: true }
    for await (const { messages, response_metadata } of api.pages(replies.history, method, values, call.signal)) {
      const found = messages.find((one) => one.metadata?.event_payload?.key === hash || one.files?.some(({ id }) => uploads.has(id)))
      if (found) return { status: 'sent', platformId: found.ts }
      if (!response_metadata?.next_cursor) return null
    }
    return unknown('the conversation is too long to look for the message')
  } catch (error) {
    if (isAgentError(error, 'SEND_REFUSED')) return unknown(`the conversation cannot be read: ${error.params.detail}`)
    throw error
  }
}
