import { detailOf } from '@agent/plugin-sdk/errors'
import { type ParsedEntity, parseMarkdownV2 } from './markdown-v2.ts'
import { Refusal } from './refusal.ts'
import type { Queue } from './update-queue.ts'

/** A message as this server keeps it. */
export interface KeptMessage {
  readonly id: number
  readonly chat: number
  readonly topic: number | undefined
  readonly fromBot: boolean
  text: string
  entities: readonly ParsedEntity[]
  keyboard: readonly { readonly text: string; readonly callback_data: string }[]
  readonly file?: { readonly field: string; readonly name: string; readonly bytes: Uint8Array }
  readonly silent: boolean
  readonly replyTo: number | undefined
  reactions: readonly string[]
}

export interface Chat {
  readonly id: number
  readonly type: 'private' | 'group' | 'supergroup'
  readonly title: string
  /** Ids of forum topics. */
  readonly topics: readonly number[]
}

export const bot = { id: 42, is_bot: true, first_name: 'Agent', username: 'agent_bot' } as const
export const ann = { id: 7, is_bot: false, first_name: 'Ann', last_name: 'Lee', username: 'ann_lee' } as const
export const direct: Chat = { id: 7, type: 'private', title: 'Ann', topics: [] }
export const room: Chat = { id: -100200, type: 'supergroup', title: 'Room', topics: [33] }
export const rightToken = '42:right-token'

export const bad = (message: string): Refusal => new Refusal(400, `Bad Request: ${message}`)

export type Given = Readonly<Record<string, unknown>>

export const mostText = 4096
export const mostCaption = 1024

/** What the methods read and change. */
export interface World {
  readonly messages: KeptMessage[]
  readonly chats: readonly Chat[]
  readonly queue: Queue
  readonly typings: Given[]
  readonly notices: Given[]
  readonly queries: Set<string>
  readonly files: Map<string, Uint8Array>
  /** What `getFile` says of a file that does not lie where others do. */
  readonly paths: Map<string, string | undefined>
  readonly webhook: { url: string; secret: string }
  menu: readonly { readonly command: string; readonly description: string }[]
  nextId: number
}

/** Text and runs of a request, held to the limits after the markup is gone. */
export function readText(given: Given, field: 'text' | 'caption', most: number): Pick<KeptMessage, 'text' | 'entities'> {
  const source = String(given[field] ?? '')
  const parsed = given.parse_mode === 'MarkdownV2' ? parse(source) : { text: source, entities: [] }
  if (parsed.text.length > most) throw bad(field === 'text' ? 'message is too long' : 'message caption is too long')
  return parsed
}

function parse(source: string): Pick<KeptMessage, 'text' | 'entities'> {
  try {
    return parseMarkdownV2(source)
  } catch (error) {
    throw bad(detailOf(error))
  }
}

/** The buttons of a request. */
export function readKeyboard({ reply_markup: markup }: Given): KeptMessage['keyboard'] {
  const rows = (markup as { inline_keyboard?: { text?: string; callback_data?: string }[][] } | undefined)?.inline_keyboard ?? []
  return rows.flat().map(({ text = '', callback_data = '' }) => {
    if (text === '') throw bad('Text buttons are unallowed in the inline keyboard')
    const bytes = Buffer.byteLength(callback_data)
    if (bytes < 1 || bytes > 64) throw bad('BUTTON_DATA_INVALID')
    return { text, callback_data }
  })
}

export function findChat(chats: readonly Chat[], given: Given): Chat {
  const chat = chats.find(({ id }) => String(id) === String(given.chat_id))
  if (!chat) throw bad('chat not found')
  return chat
}

/** The topic of a request. "General" has no number here. */
export function readTopic({ topics }: Chat, { message_thread_id: topic }: Given): number | undefined {
  if (topic === undefined) return undefined
  if (!topics.includes(Number(topic))) throw bad('message thread not found')
  return Number(topic)
}

export function findMessage(messages: readonly KeptMessage[], chat: Chat, id: unknown, words: string): KeptMessage {
  const message = messages.find((one) => one.chat === chat.id && one.id === Number(id))
  if (!message) throw bad(words)
  return message
}
