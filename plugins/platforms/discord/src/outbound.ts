import { createHash } from 'node:crypto'
import type { Button, Call, Clock, Connection, OutboundMessage, PlatformContext, Receipt } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { createReceipts, createSendGate, describeError, type SendGate, sendRequest } from '@agent/plugin-sdk/http'
import { type Api, describeProblem, platform, type RequestOptions } from './api.ts'
import type { Channels } from './channels.ts'
import type { Cursors } from './cursors.ts'
import { formatTitle, isMessageId } from './inbound.ts'
import { formatMarkup } from './markup.ts'
import { parsePlace } from './place.ts'
import type { MentionRules } from './settings.ts'
import type { Threads } from './threads.ts'
import { isForumType, parseJson, readCreated } from './wire.ts'

export interface SenderOptions {
  readonly api: Pick<Api, 'request'>
  readonly channels: Pick<Channels, 'find'>
  readonly threads: Threads
  readonly cursors: Pick<Cursors, 'follow'>
  readonly mentions: MentionRules
  readonly files: Pick<PlatformContext['files'], 'read'>
  readonly clock: Clock
  /** The connection is over. */
  readonly signal: AbortSignal
}

export interface Sender extends Pick<SendGate, 'finish'> {
  readonly send: NonNullable<Connection['send']>
  readonly edit: NonNullable<Connection['edit']>
}

const { notSent, refused } = createReceipts(platform)
const mostCharacters = 2000
const codes = { unknownChannel: 10_003, mayNotQuote: 160_002 } as const
const flags = { silent: 1 << 12 } as const

export function createSender(options: SenderOptions): Sender {
  const gone = () => notSent('the connection is gone')
  const gate = createSendGate(gone)
  const run = (work: () => Promise<Receipt>): Promise<Receipt> => (options.signal.aborted ? Promise.reject(gone()) : gate.run(work))
  return {
    send: (message, call) => run(() => deliver(options, message, call)),
    edit: (platformId, message, call) => run(() => change(options, platformId, message, call)),
    finish: gate.finish,
  }
}

async function deliver(options: SenderOptions, message: OutboundMessage, call: Call): Promise<Receipt> {
  const { threads, channels, cursors } = options
  const place = parsePlace(message.conversation)
  if (!place) return refused('the receiver is no channel')
  if (formatText(message).trim() === '' && !message.media?.length) return refused('there is nothing to say')
  const channel = await beforeSending(threads.open(place, call.signal))
  const forum = place.parent === undefined && isForumType((await channels.find(channel, call.signal))?.type ?? -1)
  const post = (to: string, quote: boolean): Promise<Attempt> => publish(options, { to, forum, quote, message, call })
  // The message with which a thread began lies outside of it.
  const quote = message.replyTo !== undefined && isMessageId(message.replyTo) && (message.replyTo !== channel || forum)
  let attempt = await post(channel, quote)
  if (attempt.code === codes.unknownChannel) {
    const again = await beforeSending(threads.reopen(place, call.signal))
    if (again !== undefined) attempt = await post(again, quote)
  }
  if (attempt.code === codes.mayNotQuote) attempt = await post(channel, false)
  if (attempt.receipt.status === 'sent') cursors.follow(forum ? attempt.receipt.platformId : channel, attempt.receipt.platformId)
  return attempt.receipt
}

/** What goes wrong before the message itself is under way loses nothing. */
async function beforeSending<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isAgentError(error, 'PLATFORM_UNREACHABLE') || isAgentError(error, 'PLATFORM_AUTH')) throw error
    throw notSent(describeError(error).detail, error)
  }
}

interface Attempt {
  readonly receipt: Receipt
  /** Discord's own number of a refusal. */
  readonly code: number | undefined
}

interface Post {
  readonly to: string
  /** In a forum everything begins a thread of its own. */
  readonly forum: boolean
  readonly quote: boolean
  readonly message: OutboundMessage
  readonly call: Call
}

async function publish(options: SenderOptions, { to, forum, quote, message, call }: Post): Promise<Attempt> {
  const payload = {
    ...formatPayload(options, message),
    ...(message.preview ? { flags: flags.silent } : {}),
    ...(quote ? { message_reference: { message_id: message.replyTo, fail_if_not_exists: false } } : {}),
    ...(message.media?.length
      ? { attachments: message.media.map(({ blob }, index) => ({ id: index, filename: nameFile(blob.name) })) }
      : {}),
  }
  const whole = forum
    ? { name: formatTitle(message.text), message: payload }
    : { ...payload, nonce: formatNonce(message), enforce_nonce: true }
  const body = await beforeSending(withFiles(options, message, whole))
  return await request(options, call, 'POST', forum ? `/channels/${to}/threads` : `/channels/${to}/messages`, body)
}

async function change(options: SenderOptions, id: string, message: OutboundMessage, call: Call): Promise<Receipt> {
  const place = parsePlace(message.conversation)
  if (!place || !isMessageId(id)) return refused('there is no such message')
  const channel = options.threads.channelOf(place)
  const forum = place.parent === undefined && isForumType((await options.channels.find(channel, call.signal))?.type ?? -1)
  // In a forum a message with which a thread begins has the id of the thread.
  const path = `/channels/${forum ? id : channel}/messages/${id}`
  return (await request(options, call, 'PATCH', path, { json: formatPayload(options, message) })).receipt
}

async function request(
  { api, clock }: SenderOptions,
  call: Call,
  method: string,
  path: string,
  body: Omit<RequestOptions, 'signal'>,
): Promise<Attempt> {
  let code: number | undefined
  const receipt = await sendRequest({
    platform,
    clock,
    call,
    request: (signal) => api.request(method, path, { ...body, signal }),
    readId: (text) => readCreated(parseJson(text))?.id,
    readProblem: (text) => {
      const problem = describeProblem(text)
      code = problem.code
      return problem
    },
  })
  return { receipt, code }
}

function formatPayload({ mentions }: SenderOptions, message: OutboundMessage): object {
  const parse = (['everyone', 'roles', 'users'] as const).filter((whom) => mentions[whom])
  return {
    content: formatText(message),
    components: formatButtons(message.buttons ?? []),
    allowed_mentions: { parse, replied_user: mentions.repliedUser },
  }
}

/** The tree as Discord's Markdown; the text as it came where more will follow, or where the signs would make it too long. */
function formatText({ text, body, preview }: OutboundMessage): string {
  if (preview || !body) return text
  const formatted = formatMarkup(body)
  return formatted.length <= mostCharacters ? formatted : text
}

const styles: Readonly<Record<NonNullable<Button['style']>, number>> = { primary: 1, danger: 4 }
const plainStyle = 2
const perRow = 5

function formatButtons(buttons: readonly Button[]): readonly object[] {
  const components = buttons.map(({ id, label, style }) => ({
    type: 2,
    style: style ? styles[style] : plainStyle,
    label: [...label].slice(0, 80).join(''),
    custom_id: id,
  }))
  return Array.from({ length: Math.ceil(components.length / perRow) }, (_, row) => ({
    type: 1,
    components: components.slice(row * perRow, (row + 1) * perRow),
  }))
}

/** Discord answers a repetition within some minutes with the message that it has; it takes up to 25 characters. */
function formatNonce({ account, conversation, key }: OutboundMessage): string {
  return createHash('sha256').update([account, conversation, key].join('\n')).digest('base64url').slice(0, 25)
}

const nameFile = (name: string | undefined): string => name ?? 'file'

async function withFiles(
  { files }: SenderOptions,
  { media = [] }: OutboundMessage,
  json: object,
): Promise<{ json: object } | { form: FormData }> {
  if (media.length === 0) return { json }
  const form = new FormData()
  form.set('payload_json', JSON.stringify(json))
  for (const [index, { blob }] of media.entries()) {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    for await (const piece of files.read(blob)) pieces.push(new Uint8Array(piece))
    form.set(`files[${index}]`, new File(pieces, nameFile(blob.name), { type: blob.mime }))
  }
  return { form }
}
