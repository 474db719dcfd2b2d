import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'

const text = z.optional(z.string())

const user = z.object({ id: z.number(), is_bot: z.boolean(), first_name: z.string(), last_name: text, username: text })

/** The type is `private`, `group`, `supergroup` or `channel`. */
const chat = z.object({ id: z.number(), type: z.string(), title: text, username: text, first_name: text })

/** A run of a text; offset and length count UTF-16 units, as JavaScript does. */
const entity = z.looseObject({ type: z.string(), offset: z.number(), length: z.number(), user: z.optional(user) })

const file = z.object({
  file_id: z.string(),
  file_size: z.optional(z.number()),
  file_name: text,
  mime_type: text,
  // Of stickers only.
  emoji: text,
  is_video: z.optional(z.boolean()),
  is_animated: z.optional(z.boolean()),
})

const said = {
  message_id: z.number(),
  from: z.optional(user),
  text,
  caption: text,
  forum_topic_created: z.optional(z.object({ name: z.string() })),
}

const message = z.object({
  ...said,
  date: z.number(),
  chat,
  /** Set where somebody speaks as a channel or as the group itself. */
  sender_chat: z.optional(chat),
  message_thread_id: z.optional(z.number()),
  is_topic_message: z.optional(z.boolean()),
  reply_to_message: z.optional(z.object(said)),
  quote: z.optional(z.object({ text: z.string() })),
  entities: z.optional(z.array(entity)),
  caption_entities: z.optional(z.array(entity)),
  photo: z.optional(z.array(file)),
  document: z.optional(file),
  audio: z.optional(file),
  voice: z.optional(file),
  video: z.optional(file),
  video_note: z.optional(file),
  animation: z.optional(file),
  sticker: z.optional(file),
  location: z.optional(z.object({ latitude: z.number(), longitude: z.number() })),
})

/** The message is absent or of the date 0 where it is too old. */
const callbackQuery = z.object({ id: z.string(), from: user, message: z.optional(message), data: text })

/** A body that we cannot read is one that says nothing; the number is needed all the same. */
const update = z.object({
  update_id: z.number(),
  message: z.catch(z.optional(message), undefined),
  callback_query: z.catch(z.optional(callbackQuery), undefined),
})

export type TelegramUser = z.output<typeof user>
export type TelegramChat = z.output<typeof chat>
export type TelegramEntity = z.output<typeof entity>
export type TelegramMessage = z.output<typeof message>
export type CallbackQuery = z.output<typeof callbackQuery>
export type Update = z.output<typeof update>

/** Undefined for what is no update. */
export const parseUpdate = (value: unknown): Update | undefined => update.safeParse(value).data

const answer = z.object({
  ok: z.boolean(),
  result: z.optional(z.unknown()),
  description: text,
  parameters: z.optional(z.object({ retry_after: z.optional(z.number()) })),
})

/** How the Bot API answers everything. */
export type Answer = z.output<typeof answer>

/** Undefined for what is no answer of the Bot API. */
export function parseAnswer(body: string): Answer | undefined {
  return answer.safeParse(parseJson(body)).data
}

/** Results of the methods whose answer we read. */
export const results = {
  self: user,
  updates: z.array(z.unknown()),
  sent: z.object({ message_id: z.number() }),
  file: z.object({ file_path: text }),
  webhook: z.object({ url: z.string(), pending_update_count: z.number(), last_error_message: text }),
  anything: z.unknown(),
} as const
