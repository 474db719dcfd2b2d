import { createHash } from 'node:crypto'
import type { Button, Call, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { appendFiles, createReceipts, describeError, parseJson, sendRequest } from '@agent/plugin-sdk/http'
import { platform, readProblem } from './api.ts'
import type { Bot } from './bot.ts'
import { formatTitle } from './inbound.ts'
import { formatMarkup } from './markup.ts'
import { chooseTags, isForum, parsePlace } from './place.ts'
import { type Channel, isId, read, wire } from './wire.ts'

const { notSent, refused } = createReceipts(platform)
const mostCharacters = 2000
const codes = { unknownChannel: 10_003, mayNotQuote: 160_002 }

/** Says something; in a thread that does not exist yet, by opening it. */
export async function sendMessage(bot: Bot, message: OutboundMessage, call: Call): Promise<Receipt> {
  const { threads, channels, memory } = bot
  const place = parsePlace(message.conversation)
  if (!place) return refused('the receiver is no channel')
  if (formatText(message).trim() === '' && !message.media?.length) return refused('there is nothing to say')
  const channel = await beforeSending(threads.open(place, call.signal))
  const found = place.parent === undefined ? await channels.find(channel, call.signal) : undefined
  const forum = isForum(found) ? found : undefined
  const post = (quotes: boolean): Promise<Attempt> => publish(bot, { channel, forum, quotes }, message, call)
  // The message with which a thread began lies outside of it.
  const quotes = isId(message.replyTo ?? '') && message.replyTo !== channel
  let attempt = await post(quotes)
  if (attempt.code === codes.unknownChannel && (await beforeSending(threads.reopen(place, call.signal)))) attempt = await post(quotes)
  if (attempt.code === codes.mayNotQuote) attempt = await post(false)
  const { receipt } = attempt
  if (receipt.status === 'sent') memory.follow(forum ? receipt.platformId : channel, receipt.platformId)
  return receipt
}

/** What goes wrong before the message itself is under way loses nothing. */
async function beforeSending<T>(work: Promise<T>): Promise<T> {
  return await work.catch((error: unknown) => {
    throw isAgentError(error) ? error : notSent(describeError(error).detail, error)
  })
}

type Target = { readonly channel: string; readonly forum: Channel | undefined; readonly quotes: boolean }

async function publish(bot: Bot, { channel, forum, quotes }: Target, message: OutboundMessage, call: Call): Promise<Attempt> {
  const { media = [], replyTo, text } = message
  const payload = {
    ...formatPayload(bot, message),
    ...(quotes ? { message_reference: { message_id: replyTo, fail_if_not_exists: false } } : {}),
    attachments: media.map(({ blob }, id) => ({ id, filename: blob.name ?? 'file' })),
  }
  const json = forum
    ? { name: formatTitle(text), applied_tags: chooseTags(forum), message: payload }
    : { ...payload, nonce: formatNonce(message), enforce_nonce: true }
  return await request(bot, call, `POST /channels/${channel}/${forum ? 'threads' : 'messages'}`, json, media)
}

/** Replaces text and buttons of a message. */
export async function editMessage(bot: Bot, id: string, message: OutboundMessage, call: Call): Promise<Receipt> {
  const place = parsePlace(message.conversation)
  if (!place || !isId(id)) return refused('there is no such message')
  const channel = bot.threads.channelOf(place)
  // In a forum a message with which a thread begins has the id of the thread.
  const forum = place.parent === undefined && isForum(await bot.channels.find(channel, call.signal))
  return (await request(bot, call, `PATCH /channels/${forum ? id : channel}/messages/${id}`, formatPayload(bot, message))).receipt
}

/** What became of it, with Discord's own number of a refusal. */
type Attempt = { readonly receipt: Receipt; readonly code: string | number | undefined }

async function request(bot: Bot, call: Call, what: string, json: object, media: OutboundMessage['media'] = []): Promise<Attempt> {
  const [method = '', path = ''] = what.split(' ')
  let code: Attempt['code']
  const form = new FormData()
  form.set('payload_json', JSON.stringify(json))
  const withFiles = (): Promise<FormData> => beforeSending(appendFiles(form, media, bot.context.files, (index) => `files[${index}]`))
  const body = media.length > 0 ? { form: await withFiles() } : { json }
  const receipt = await sendRequest({
    platform,
    clock: bot.context.clock,
    call,
    request: (signal) => bot.request(method, path, signal, body),
    readId: (text) => read(wire.created, parseJson(text))?.id,
    readProblem: (text) => {
      const problem = readProblem(parseJson(text))
      code = problem.code
      return problem
    },
  })
  return { receipt, code }
}

function formatPayload({ settings }: Bot, message: OutboundMessage): object {
  return { content: formatText(message), components: formatButtons(message.buttons ?? []), allowed_mentions: settings.mentions }
}

/** The tree as Discord's Markdown; the text as it came where more will follow, or where the signs would make it too long. */
function formatText({ text, body, preview }: OutboundMessage): string {
  const formatted = preview || !body ? text : formatMarkup(body)
  return formatted.length <= mostCharacters ? formatted : text
}

const styles = { primary: 1, danger: 4 } as const
const plainStyle = 2
const perRow = 5

function formatButtons(buttons: readonly Button[]): readonly object[] {
  const components = buttons.map(({ id, label, style }) => {
    return { type: 2, style: style ? styles[style] : plainStyle, label: [...label].slice(0, 80).join(''), custom_id: id }
  })
  const rows = Array.from({ length: Math.ceil(components.length / perRow) }, (_, row) => row * perRow)
  return rows.map((start) => ({ type: 1, components: components.slice(start, start + perRow) }))
}

/** Discord answers a repetition within some minutes with the message that it has; it takes up to 25 characters. */
function formatNonce({ account, conversation, key }: OutboundMessage): string {
  return createHash('sha256').update([account, conversation, key].join('\n')).digest('base64url').slice(0, 25)
}
