import type { Button, Call, Connection, OutboundMedia, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { createReceipts, createSendGate, type SendGate, sendRequest } from '@agent/plugin-sdk/http'
import { formatMessageId, type Place, parseMessageId, parsePlace } from './address.ts'
import { type Bot, type Parameters, platform, readWait, type Upload } from './bot-api.ts'
import { asDocument, chooseUpload, loadUpload, type UploadWay } from './files.ts'
import { formatMarkdownV2 } from './markup.ts'
import { parseAnswer, results } from './wire.ts'

const { notSent, refused, sent, unknown } = createReceipts(platform)

/** Sends and edits until it is finished, which waits for what was begun. */
export function createSender(bot: Bot): Pick<Required<Connection>, 'send' | 'edit'> & SendGate {
  const gate = createSendGate(() => notSent('the connection is gone'))
  return {
    ...gate,
    send: (message, call) => gate.run(() => deliver(bot, message, call)),
    edit: (platformId, message, call) => gate.run(() => replace(bot, platformId, message, call)),
  }
}

/** One request of the Bot API that makes or changes a message. */
interface Attempt {
  readonly method: string
  readonly chat: string
  readonly parameters: Parameters
  readonly upload?: Upload
}

function attempt({ api, context }: Bot, { method, chat, parameters, upload }: Attempt, call: Call): Promise<Receipt> {
  return sendRequest({
    platform,
    clock: context.clock,
    call,
    request: (signal) => api.request(method, { chat_id: chat, ...parameters }, signal, upload),
    readId: (body) => {
      const id = results.sent.safeParse(parseAnswer(body)?.result).data?.message_id
      return id === undefined ? undefined : formatMessageId(chat, id)
    },
    readProblem: (body) => {
      const answer = parseAnswer(body)
      return { detail: answer?.description, retryAfterMs: readWait(answer) }
    },
  })
}

const isRefusedFor = (receipt: Receipt, reason: RegExp): boolean =>
  receipt.status === 'refused' && reason.test(String(receipt.error.params.detail))

/** The markup has a mistake, or makes the text longer than it was. */
const badMarkup = /can't parse entities|is too long/

/** The text in MarkdownV2, and once more as it is where Telegram does not take that. `field` is what the method calls the text. */
async function attemptText(bot: Bot, one: Attempt, field: string, message: OutboundMessage, call: Call): Promise<Receipt> {
  const withText = (more: Parameters): Attempt => ({ ...one, parameters: { ...one.parameters, ...more } })
  const plain = withText({ [field]: message.text })
  if (!message.body || message.preview) return attempt(bot, plain, call)
  const receipt = await attempt(bot, withText({ [field]: formatMarkdownV2(message.body), parse_mode: 'MarkdownV2' }), call)
  return isRefusedFor(receipt, badMarkup) ? attempt(bot, plain, call) : receipt
}

async function deliver(bot: Bot, message: OutboundMessage, call: Call): Promise<Receipt> {
  const place = parsePlace(message.conversation)
  if (!place) return refused('the receiver is no chat')
  if (message.media?.length) return deliverFiles(bot, place, message, call)
  if (message.text.trim() === '') return refused('there is nothing to say')
  const parameters = { ...describePlace(place, message), ...describeText(bot, message.buttons) }
  return attemptText(bot, { method: 'sendMessage', chat: place.chat, parameters }, 'text', message, call)
}

/** What every method that sends has in common. */
function describePlace({ topic }: Place, { replyTo }: OutboundMessage): Parameters {
  const answered = replyTo === undefined ? undefined : parseMessageId(replyTo)
  return {
    message_thread_id: topic,
    // The message that is answered may have been deleted meanwhile.
    reply_parameters: answered && { message_id: answered.message, allow_sending_without_reply: true },
  }
}

const describeText = ({ settings }: Bot, buttons: readonly Button[] | undefined): Parameters => ({
  link_preview_options: settings.linkPreviews ? undefined : { is_disabled: true },
  reply_markup: formatKeyboard(buttons),
})

/** Labels up to this length stand side by side. */
const shortLabel = 14
const inRow = 3

/** An inline keyboard; undefined takes an existing one away. */
function formatKeyboard(buttons: readonly Button[] = []): Parameters | undefined {
  if (buttons.length === 0) return undefined
  const keys = buttons.map(({ id, label }) => ({ text: label, callback_data: id }))
  const width = buttons.every(({ label }) => label.length <= shortLabel) ? inRow : 1
  const rows = Array.from({ length: Math.ceil(keys.length / width) }, (_, row) => keys.slice(row * width, (row + 1) * width))
  return { inline_keyboard: rows }
}

/** Each file is a message; the text stands below the first, the buttons below the last. */
async function deliverFiles(bot: Bot, place: Place, message: OutboundMessage, call: Call): Promise<Receipt> {
  const media = message.media ?? []
  let first: Receipt | undefined
  for (const [index, file] of media.entries()) {
    const keyboard = index === media.length - 1 ? formatKeyboard(message.buttons) : undefined
    const one = { method: '', chat: place.chat, parameters: { ...describePlace(place, message), reply_markup: keyboard } }
    const caption = index === 0 && message.text.trim() !== '' ? message : undefined
    const sendIt = (): Promise<Receipt> => deliverFile(bot, one, file, caption, call)
    const receipt = first ? await insist(bot, sendIt, call) : await sendIt()
    if (receipt.status !== 'sent') {
      return first ? unknown(`only ${index} of ${media.length} files have certainly arrived: ${receipt.error.params.detail}`) : receipt
    }
    first ??= receipt
  }
  return first ?? refused('there is no file')
}

/** What has begun is not left half done for a limit of Telegram. */
async function insist({ context: { clock } }: Bot, send: () => Promise<Receipt>, { signal }: Call): Promise<Receipt> {
  for (;;) {
    const receipt = await send()
    const waitMs = receipt.status === 'refused' ? receipt.error.retryAfterMs : undefined
    if (waitMs === undefined) return receipt
    try {
      await clock.sleep(waitMs, signal)
    } catch {
      return receipt
    }
  }
}

/** Sends a file, with the text of `caption` below it. */
async function deliverFile(
  bot: Bot,
  one: Attempt,
  file: OutboundMedia,
  caption: OutboundMessage | undefined,
  call: Call,
): Promise<Receipt> {
  const content = await loadUpload(bot.context.files, file.blob)
  const sendAs = ({ method, field, name }: UploadWay): Promise<Receipt> => {
    const upload = { ...one, method, upload: { field, name: file.blob.name ?? name, content } }
    return caption ? attemptText(bot, upload, 'caption', caption, call) : attempt(bot, upload, call)
  }
  const way = chooseUpload(file)
  const receipt = await sendAs(way)
  // A picture of odd sides or above 10 MB is no photo to Telegram, and somebody may not want voice messages.
  const isUnfit = way !== asDocument && isRefusedFor(receipt, /PHOTO_|IMAGE_PROCESS|VOICE_MESSAGES_FORBIDDEN|too big for a photo/i)
  return isUnfit ? sendAs(asDocument) : receipt
}

async function replace(bot: Bot, platformId: string, message: OutboundMessage, call: Call): Promise<Receipt> {
  const target = parseMessageId(platformId)
  if (!target) return refused('there is no such message')
  const parameters = { message_id: target.message, ...describeText(bot, message.buttons) }
  const one = { method: 'editMessageText', chat: target.chat, parameters }
  const receipt = await attemptText(bot, one, 'text', message, call)
  if (isRefusedFor(receipt, /message is not modified/)) return sent(platformId)
  if (!isRefusedFor(receipt, /no text in the message/)) return receipt
  return attemptText(bot, { ...one, method: 'editMessageCaption' }, 'caption', message, call)
}
