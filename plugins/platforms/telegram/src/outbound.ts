import type { Call, Clock, Connection, Files, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { createReceipts, createSendGate, sendRequest } from '@agent/plugin-sdk/http'
import { formatMessageId, type Place, parseMessageId, parsePlace } from './address.ts'
import { type BotApi, type Parameters, platform, type Upload } from './bot-api.ts'
import { asDocument, chooseUpload, loadUpload } from './files.ts'
import { formatKeyboard } from './keyboard.ts'
import { formatMarkdownV2 } from './markup.ts'
import { parseAnswer, results } from './wire.ts'

export interface SenderOptions {
  readonly api: BotApi
  readonly clock: Clock
  readonly files: Pick<Files, 'read'>
  readonly linkPreviews: boolean
}

export interface Sender {
  readonly send: NonNullable<Connection['send']>
  readonly edit: NonNullable<Connection['edit']>
  /** Begins nothing more; resolves when what was begun is over, or `signal` fires. */
  finish(signal: AbortSignal): Promise<void>
}

const { notSent, refused, sent, unknown } = createReceipts(platform)

export function createSender(options: SenderOptions): Sender {
  const gate = createSendGate(() => notSent('the connection is gone'))
  return {
    send: (message, call) => gate.run(() => deliver(options, message, call)),
    edit: (platformId, message, call) => gate.run(() => replace(options, platformId, message, call)),
    finish: gate.finish,
  }
}

/** One request of the Bot API that makes or changes a message. */
interface Attempt {
  readonly method: string
  readonly chat: string
  readonly parameters: Parameters
  readonly upload?: Upload
}

function attempt({ api, clock }: SenderOptions, { method, chat, parameters, upload }: Attempt, call: Call): Promise<Receipt> {
  return sendRequest({
    platform,
    clock,
    call,
    request: (signal) => api.request(method, { chat_id: chat, ...parameters }, signal, upload),
    readId: (body) => {
      const id = results.sent.safeParse(parseAnswer(body)?.result).data?.message_id
      return id === undefined ? undefined : formatMessageId(chat, id)
    },
    readProblem: (body) => {
      const { description, parameters: more } = parseAnswer(body) ?? {}
      return { detail: description, retryAfterMs: more?.retry_after === undefined ? undefined : more.retry_after * 1000 }
    },
  })
}

const isRefusedFor = (receipt: Receipt, reason: RegExp): boolean =>
  receipt.status === 'refused' && reason.test(String(receipt.error.params.detail))

/** The markup has a mistake, or makes the text longer than it was. */
const badMarkup = /can't parse entities|is too long/

/** The text in MarkdownV2, and once more as it is where Telegram does not take that. `field` is what the method calls the text. */
async function attemptText(options: SenderOptions, one: Attempt, field: string, message: OutboundMessage, call: Call): Promise<Receipt> {
  const withText = (more: Parameters): Attempt => ({ ...one, parameters: { ...one.parameters, ...more } })
  const plain = withText({ [field]: message.text })
  if (!message.body || message.preview) return attempt(options, plain, call)
  const receipt = await attempt(options, withText({ [field]: formatMarkdownV2(message.body), parse_mode: 'MarkdownV2' }), call)
  return isRefusedFor(receipt, badMarkup) ? attempt(options, plain, call) : receipt
}

async function deliver(options: SenderOptions, message: OutboundMessage, call: Call): Promise<Receipt> {
  const place = parsePlace(message.conversation)
  if (!place) return refused('the receiver is no chat')
  if (message.media?.length) return deliverFiles(options, place, message, call)
  if (message.text.trim() === '') return refused('there is nothing to say')
  const parameters = {
    ...describePlace(place, message),
    link_preview_options: options.linkPreviews ? undefined : { is_disabled: true },
    reply_markup: formatKeyboard(message.buttons),
  }
  return attemptText(options, { method: 'sendMessage', chat: place.chat, parameters }, 'text', message, call)
}

/** What every method that sends has in common. */
function describePlace({ topic }: Place, { replyTo, preview }: OutboundMessage): Parameters {
  const answered = replyTo === undefined ? undefined : parseMessageId(replyTo)
  return {
    message_thread_id: topic,
    disable_notification: preview,
    // The message that is answered may have been deleted meanwhile.
    reply_parameters: answered && { message_id: answered.message, allow_sending_without_reply: true },
  }
}

/** Each file is a message; the text stands below the first, the buttons below the last. */
async function deliverFiles(options: SenderOptions, place: Place, message: OutboundMessage, call: Call): Promise<Receipt> {
  const media = message.media ?? []
  let first: Receipt | undefined
  for (const [index, file] of media.entries()) {
    const isLast = index === media.length - 1
    const parameters = { ...describePlace(place, message), reply_markup: isLast ? formatKeyboard(message.buttons) : undefined }
    const caption = index === 0 && message.text.trim() !== '' ? message : undefined
    const receipt = await deliverFile(options, { place, parameters, caption }, file, call)
    if (receipt.status !== 'sent') {
      return first ? unknown(`only ${index} of ${media.length} files have certainly arrived: ${receipt.error.params.detail}`) : receipt
    }
    first ??= receipt
  }
  return first ?? refused('there is no file')
}

interface FilePlace {
  readonly place: Place
  readonly parameters: Parameters
  /** The message whose text stands below the file. */
  readonly caption: OutboundMessage | undefined
}

async function deliverFile(
  options: SenderOptions,
  { place, parameters, caption }: FilePlace,
  file: NonNullable<OutboundMessage['media']>[number],
  call: Call,
): Promise<Receipt> {
  const content = await loadUpload(options.files, file.blob)
  const sendAs = (way: ReturnType<typeof chooseUpload>): Promise<Receipt> => {
    const upload = { field: way.field, name: file.blob.name ?? way.name, content }
    const one = { method: way.method, chat: place.chat, parameters, upload }
    return caption ? attemptText(options, one, 'caption', caption, call) : attempt(options, one, call)
  }
  const way = chooseUpload(file)
  const receipt = await sendAs(way)
  // A picture of odd sides or above 10 MB is no photo to Telegram, and somebody may not want voice messages.
  const isUnfit = way !== asDocument && isRefusedFor(receipt, /PHOTO_|IMAGE_PROCESS|VOICE_MESSAGES_FORBIDDEN|too big for a photo/i)
  return isUnfit ? sendAs(asDocument) : receipt
}

async function replace(options: SenderOptions, platformId: string, message: OutboundMessage, call: Call): Promise<Receipt> {
  const target = parseMessageId(platformId)
  if (!target) return refused('there is no such message')
  const parameters = {
    message_id: target.message,
    link_preview_options: options.linkPreviews ? undefined : { is_disabled: true },
    reply_markup: formatKeyboard(message.buttons),
  }
  const one = { method: 'editMessageText', chat: target.chat, parameters }
  const receipt = await attemptText(options, one, 'text', message, call)
  if (isRefusedFor(receipt, /message is not modified/)) return sent(platformId)
  if (!isRefusedFor(receipt, /no text in the message/)) return receipt
  return attemptText(options, { ...one, method: 'editMessageCaption' }, 'caption', message, call)
}
