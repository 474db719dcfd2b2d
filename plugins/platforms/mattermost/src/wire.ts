import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'

const text = z.string()
const flag = z.union([z.boolean(), text])

const file = z.object({
  id: text,
  name: z.optional(text),
  size: z.optional(z.number()),
  mime_type: z.optional(text),
})

const post = z.object({
  id: text,
  create_at: z.number(),
  delete_at: z.optional(z.number()),
  user_id: text,
  channel_id: text,
  root_id: z.optional(text),
  /** Names the post of which this is an older form. */
  original_id: z.optional(text),
  message: text,
  type: z.optional(text),
  props: z.nullish(z.object({ from_bot: z.optional(flag), from_webhook: z.optional(flag), agent_key: z.optional(text) })),
  metadata: z.nullish(z.object({ files: z.nullish(z.array(file)) })),
})

const posts = z.object({ order: z.array(text), posts: z.record(text, z.unknown()) })

const channel = z.object({
  id: text,
  type: text,
  name: z.optional(text),
  display_name: z.optional(text),
  last_post_at: z.optional(z.number()),
})

const user = z.object({ id: text, username: text, is_bot: z.optional(z.boolean()) })

/** An event, or the answer to something that we said. */
const frame = z.object({
  event: z.optional(text),
  seq: z.optional(z.number()),
  data: z.optional(z.record(text, z.unknown())),
  status: z.optional(text),
  seq_reply: z.optional(z.number()),
  error: z.optional(z.object({ message: z.optional(text) })),
})

const posted = z.object({ post: text, sender_name: z.optional(text) })
const refusal = z.object({ message: z.optional(text) })
const created = z.object({ id: text })
const uploaded = z.object({ file_infos: z.array(z.object({ id: text })) })

export type Post = z.output<typeof post>
export type Channel = z.output<typeof channel>
export type User = z.output<typeof user>
export type Frame = z.output<typeof frame>

/** Reads a value; undefined where it is something else. */
type Read<T> = (value: unknown) => T | undefined

const reader =
  <Schema extends z.ZodMiniType>(schema: Schema): Read<z.output<Schema>> =>
  (value) =>
    schema.safeParse(value).data

export const readPost: Read<Post> = reader(post)
export const readChannel: Read<Channel> = reader(channel)
export const readChannels: Read<readonly Channel[]> = reader(z.array(channel))
export const readUser: Read<User> = reader(user)
export const readUsers: Read<readonly User[]> = reader(z.array(user))
export const readPosted: Read<z.output<typeof posted>> = reader(posted)
export const readRefusal: Read<z.output<typeof refusal>> = reader(refusal)
export const readCreated: Read<z.output<typeof created>> = reader(created)
export const readUploaded: Read<z.output<typeof uploaded>> = reader(uploaded)

export function parseFrame(body: string): Frame | undefined {
  return reader(frame)(parseJson(body))
}

/** The posts of a list, the newest first. */
export function readPosts(value: unknown): readonly Post[] | undefined {
  const list = reader(posts)(value)
  return list?.order.flatMap((id) => readPost(list.posts[id]) ?? [])
}

/** The server names everything by 26 such characters. */
export const isId = (id: string): boolean => /^[a-z0-9]{26}$/.test(id)
