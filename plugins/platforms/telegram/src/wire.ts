import * as z from 'zod/mini'

const user = z.object({
  id: z.number(),
  is_bot: z.boolean(),
  first_name: z.string(),
  last_name: z.optional(z.string()),
  username: z.optional(z.string()),
})

const chat = z.object({
  id: z.number(),
  /** `private`, `group`, `supergroup` or `channel`. */
  type: z.string(),
  title: z.optional(z.string()),
  username: z.optional(z.string()),
  first_name: z.optional(z.string()),
})

/** A run of a text; offset and length count UTF-16 units, as JavaScript does. */
const entity = z.looseObject({
  type: z.string(),
  offset: z.number(),
  length: z.number(),
  user: z.optional(user),
})

const file = z.object({
  file_id: z.string(),
  file_size: z.optional(z.number()),
  file_name: z.optional(z.string()),
  mime_type: z.optional(z.string()),
})

const sticker = z.object({
  file_id: z.string(),
  file_size: z.optional(z.number()),
  is_animated: z.optional(z.boolean()),
  is_video: z.optional(z.boolean()),
  emoji: z.optional(z.string()),
})

const said = {
  message_id: z.number(),
  from: z.optional(user),
  text: z.optional(z.string()),
  caption: z.optional(z.string()),
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
  sticker: z.optional(sticker),
  location: z.optional(z.object({ latitude: z.number(), longitude: z.number() })),
  contact: z.optional(z.object({ phone_number: z.string(), first_name: z.string() })),
})

const callbackQuery = z.object({
  id: z.string(),
  from: user,
  /** Absent or of the date 0 where the message is too old. */
  message: z.optional(message),
  data: z.optional(z.string()),
})

const update = z.object({ update_id: z.number() })
const updateBody = z.object({ message: z.optional(message), callback_query: z.optional(callbackQuery) })

export type TelegramUser = z.output<typeof user>
export type TelegramChat = z.output<typeof chat>
export type TelegramEntity = z.output<typeof entity>
export type TelegramMessage = z.output<typeof message>
export type CallbackQuery = z.output<typeof callbackQuery>

export interface Update {
  readonly id: number
  readonly message?: TelegramMessage | undefined
  readonly callbackQuery?: CallbackQuery | undefined
}

/** What is no update is undefined; an update of which we cannot read the body is one that says nothing. */
export function parseUpdate(value: unknown): Update | undefined {
  const head = update.safeParse(value)
  if (!head.success) return undefined
  const body = updateBody.safeParse(value).data
  return { id: head.data.update_id, message: body?.message, callbackQuery: body?.callback_query }
}

const answer = z.object({
  ok: z.boolean(),
  result: z.optional(z.unknown()),
  error_code: z.optional(z.number()),
  description: z.optional(z.string()),
  parameters: z.optional(z.object({ retry_after: z.optional(z.number()) })),
})

/** How the Bot API answers everything. */
export type Answer = z.output<typeof answer>

/** Undefined for what is no answer of the Bot API. */
export function parseAnswer(body: string): Answer | undefined {
  try {
    return answer.safeParse(JSON.parse(body)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Results of the methods whose answer we read. */
export const results = {
  self: user,
  updates: z.array(z.unknown()),
  sent: z.object({ message_id: z.number() }),
  file: z.object({ file_path: z.optional(z.string()) }),
  webhook: z.object({
    url: z.string(),
    pending_update_count: z.number(),
    last_error_message: z.optional(z.string()),
  }),
  anything: z.unknown(),
} as const
