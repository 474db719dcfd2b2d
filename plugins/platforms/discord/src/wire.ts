import * as z from 'zod/mini'

/** Kinds of channel that are told apart here. */
export const channelTypes = { text: 0, dm: 1, groupDm: 3, announcement: 5, forum: 15, media: 16 } as const

const threadTypes: ReadonlySet<number> = new Set([10, 11, 12])
export const isThreadType = (type: number): boolean => threadTypes.has(type)

/** Everything in such a channel is a thread of its own. */
export const isForumType = (type: number): boolean => type === channelTypes.forum || type === channelTypes.media

const text = z.string()
const user = z.object({ id: text, username: text, global_name: z.nullish(text), bot: z.optional(z.boolean()) })
const member = z.object({ nick: z.nullish(text), roles: z.optional(z.array(text)) })

const channel = z.object({
  id: text,
  type: z.number(),
  name: z.nullish(text),
  parent_id: z.nullish(text),
  guild_id: z.optional(text),
})

const attachment = z.object({
  id: text,
  filename: text,
  size: z.number(),
  url: text,
  content_type: z.optional(text),
})

const message = z.object({
  id: text,
  type: z.number(),
  channel_id: text,
  guild_id: z.optional(text),
  author: user,
  member: z.optional(member),
  webhook_id: z.optional(text),
  content: text,
  timestamp: text,
  flags: z.optional(z.number()),
  mentions: z.optional(z.array(user)),
  mention_roles: z.optional(z.array(text)),
  attachments: z.optional(z.array(attachment)),
  message_snapshots: z.optional(z.array(z.object({ message: z.object({ content: z.optional(text) }) }))),
  referenced_message: z.nullish(z.object({ id: text, content: text, author: user })),
})

const option = z.object({ name: text, value: z.optional(z.union([text, z.number(), z.boolean()])) })

const interaction = z.object({
  id: text,
  type: z.number(),
  token: text,
  guild_id: z.optional(text),
  channel_id: z.optional(text),
  member: z.optional(z.object({ nick: z.nullish(text), roles: z.optional(z.array(text)), user })),
  user: z.optional(user),
  data: z.optional(z.object({ name: z.optional(text), custom_id: z.optional(text), options: z.optional(z.array(option)) })),
  message: z.optional(z.object({ id: text, content: text })),
})

const frame = z.object({ op: z.number(), d: z.optional(z.unknown()), s: z.nullish(z.number()), t: z.nullish(text) })
const hello = z.object({ heartbeat_interval: z.number().check(z.positive()) })
const ready = z.object({ session_id: text, resume_gateway_url: text, user, application: z.object({ id: text }) })
const gateway = z.object({
  url: text,
  session_start_limit: z.optional(z.object({ remaining: z.number(), reset_after: z.number() })),
})
const role = z.object({ id: text, tags: z.optional(z.object({ bot_id: z.optional(text) })) })
const guild = z.object({
  id: text,
  name: z.optional(text),
  channels: z.optional(z.array(z.unknown())),
  threads: z.optional(z.array(z.unknown())),
  roles: z.optional(z.array(z.unknown())),
})
const problem = z.object({ message: z.optional(text), code: z.optional(z.number()), retry_after: z.optional(z.number()) })
const created = z.object({ id: text })
const command = z.object({
  name: text,
  description: z.optional(text),
  options: z.optional(z.array(z.object({ name: text, description: text }))),
})

export type User = z.output<typeof user>
export type Member = z.output<typeof member>
export type Channel = z.output<typeof channel>
export type WireMessage = z.output<typeof message>
export type Interaction = z.output<typeof interaction>
export type Frame = z.output<typeof frame>
export type Ready = z.output<typeof ready>
export type WireCommand = z.output<typeof command>

/** Reads a value; undefined where it is something else. */
type Read<T> = (value: unknown) => T | undefined

const reader =
  <Schema extends z.ZodMiniType>(schema: Schema): Read<z.output<Schema>> =>
  (value) =>
    schema.safeParse(value).data

export const readChannel: Read<Channel> = reader(channel)
export const readWireMessage: Read<WireMessage> = reader(message)
export const readMessages: Read<readonly unknown[]> = reader(z.array(z.unknown()))
export const readInteraction: Read<Interaction> = reader(interaction)
export const readHello: Read<z.output<typeof hello>> = reader(hello)
export const readReady: Read<Ready> = reader(ready)
export const readGateway: Read<z.output<typeof gateway>> = reader(gateway)
export const readRole: Read<z.output<typeof role>> = reader(role)
export const readGuild: Read<z.output<typeof guild>> = reader(guild)
export const readMember: Read<Member> = reader(member)
export const readProblem: Read<z.output<typeof problem>> = reader(problem)
export const readCreated: Read<z.output<typeof created>> = reader(created)
export const readCommands: Read<readonly WireCommand[]> = reader(z.array(command))

/** JSON of a body or a frame; undefined where it is none. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

export function parseFrame(body: string): Frame | undefined {
  return reader(frame)(parseJson(body))
}

/** Ids are numbers of 64 bits that grow with time. */
export function compareIds(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length
  return one < other ? -1 : Number(one > other)
}
