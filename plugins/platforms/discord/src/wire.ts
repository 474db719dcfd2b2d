import * as z from 'zod/mini'

const text = z.string()
const texts = z.optional(z.array(text))
const optional = z.optional(text)

const user = z.object({ id: text, username: text, global_name: z.nullish(text), bot: z.optional(z.boolean()) })
const member = z.object({ nick: z.nullish(text), roles: texts })
const tag = z.object({ id: text, moderated: z.optional(z.boolean()) })
const channel = z.object({
  ...{ id: text, type: z.number(), name: z.nullish(text), parent_id: z.nullish(text), guild_id: optional },
  ...{ flags: z.optional(z.number()), available_tags: z.optional(z.array(tag)) },
})
const attachment = z.object({ id: text, filename: text, size: z.number(), url: text, content_type: optional })

const message = z.object({
  id: text,
  type: z.number(),
  channel_id: text,
  guild_id: optional,
  author: user,
  member: z.optional(member),
  webhook_id: optional,
  content: text,
  timestamp: text,
  flags: z.optional(z.number()),
  mentions: z.optional(z.array(user)),
  mention_roles: texts,
  attachments: z.optional(z.array(attachment)),
  message_snapshots: z.optional(z.array(z.object({ message: z.object({ content: optional }) }))),
  referenced_message: z.nullish(z.object({ id: text, content: text, author: user })),
})

const option = z.object({ value: z.optional(z.union([text, z.number(), z.boolean()])) })
const interaction = z.object({
  id: text,
  type: z.number(),
  token: text,
  guild_id: optional,
  channel_id: optional,
  member: z.optional(z.extend(member, { user })),
  user: z.optional(user),
  data: z.optional(z.object({ name: optional, custom_id: optional, options: z.optional(z.array(option)) })),
  message: z.optional(z.object({ content: text })),
})

const list = z.array(z.unknown())
const role = z.object({ id: text, tags: z.optional(z.object({ bot_id: optional })) })

/** What is read of the things that Discord tells. */
export const wire = {
  channel,
  message,
  member,
  interaction,
  list,
  ready: z.object({ resume_gateway_url: text, user, application: z.object({ id: text }) }),
  gateway: z.object({ url: text, session_start_limit: z.optional(z.object({ remaining: z.number(), reset_after: z.number() })) }),
  guild: z.object({ id: text, channels: z.optional(list), threads: z.optional(list), roles: z.optional(z.array(role)) }),
  problem: z.object({ message: optional, code: z.optional(z.number()), retry_after: z.optional(z.number()) }),
  created: z.object({ id: text }),
  commands: z.array(z.looseObject({ type: z.optional(z.number()) })),
} as const

export type User = z.output<typeof user>
export type Member = z.output<typeof member>
export type Channel = z.output<typeof channel>
export type WireMessage = z.output<typeof message>
export type Interaction = z.output<typeof interaction>

/** The value as its schema has it; undefined where it is something else. */
export function read<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> | undefined {
  return schema.safeParse(value).data
}

/** Ids are numbers of 64 bits that grow with time. */
export function compareIds(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length
  return one < other ? -1 : Number(one > other)
}

/** Whether an id is one of Discord's. */
export const isId = (id: string): boolean => /^\d{1,20}$/.test(id)
