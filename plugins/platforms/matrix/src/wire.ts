import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'

const text = z.optional(z.string())

const reply = z.optional(z.object({ event_id: z.string() }))
const relation = z.object({ rel_type: text, event_id: text, key: text, is_falling_back: z.optional(z.boolean()), 'm.in_reply_to': reply })

export const event = z.object({
  type: z.string(),
  sender: z.string(),
  event_id: z.string(),
  origin_server_ts: z.number(),
  state_key: text,
  content: z.record(z.string(), z.unknown()),
  unsigned: z.optional(z.object({ prev_content: z.optional(z.object({ membership: text })) })),
})
export type RoomEvent = z.output<typeof event>

/** What opens an encrypted file. */
const sealedFile = z.object({
  url: z.string(),
  key: z.object({ k: z.string() }),
  iv: z.string(),
  hashes: z.object({ sha256: z.string() }),
})

const said = z.object({
  msgtype: text,
  body: z.string(),
  filename: text,
  /** Absent where the file is encrypted. */
  url: text,
  file: z.optional(sealedFile),
  info: z.optional(z.object({ mimetype: text, size: z.optional(z.number()) })),
  'm.relates_to': z.optional(relation),
  'm.mentions': z.optional(z.object({ user_ids: z.optional(z.array(z.string())) })),
  formatted_body: text,
  'org.matrix.msc3245.voice': z.optional(z.unknown()),
})
export type Said = z.output<typeof said>

const reaction = z.object({ 'm.relates_to': relation })
const stripped = z.object({
  type: z.string(),
  sender: z.string(),
  state_key: text,
  content: z.object({ membership: text, name: text, is_direct: z.optional(z.boolean()) }),
})
const timeline = z.object({ events: z.array(z.unknown()), limited: z.optional(z.boolean()), prev_batch: text })
export type Timeline = z.output<typeof timeline>
const rooms = z.object({
  join: z.optional(
    z.record(z.string(), z.object({ timeline: z.optional(timeline), state: z.optional(z.object({ events: z.array(z.unknown()) })) })),
  ),
  invite: z.optional(z.record(z.string(), z.object({ invite_state: z.optional(z.object({ events: z.array(z.unknown()) })) }))),
})

const login = z.object({
  device_id: z.string(),
  access_token: z.string(),
  refresh_token: text,
  expires_in_ms: z.optional(z.number()),
})
export type Login = z.output<typeof login>
const keptLogin = z.extend(login, { endsAt: z.nullable(z.number()) })

/** What the server answers, as far as it is read. */
export const replies = {
  any: z.unknown(),
  self: z.object({ user_id: z.string(), device_id: text }),
  login,
  refreshed: z.object({ access_token: z.string(), refresh_token: text, expires_in_ms: z.optional(z.number()) }),
  name: z.object({ name: text }),
  profile: z.object({ displayname: z.nullish(z.string()) }),
  members: z.object({ joined: z.record(z.string(), z.unknown()) }),
  joined: z.object({ joined_rooms: z.array(z.string()) }),
  sent: z.object({ event_id: text }),
  upload: z.object({ content_uri: z.string() }),
  messages: z.object({ chunk: z.array(z.unknown()), end: text }),
  sync: z.object({
    next_batch: z.string(),
    rooms: z.optional(rooms),
    to_device: z.optional(z.object({ events: z.optional(z.array(z.unknown())) })),
    device_lists: z.optional(z.object({ changed: z.optional(z.array(z.string())), left: z.optional(z.array(z.string())) })),
    device_one_time_keys_count: z.optional(z.record(z.string(), z.number())),
    device_unused_fallback_key_types: z.optional(z.array(z.string())),
  }),
}
export type Sync = z.output<typeof replies.sync>

export type Schema<T> = z.ZodMiniType<T>
const problem = z.object({ errcode: z.string(), error: text, retry_after_ms: z.optional(z.number()), soft_logout: z.optional(z.boolean()) })

export const parseEvent = (value: unknown): RoomEvent | undefined => event.safeParse(value).data
export const parseSaid = (content: unknown): Said | undefined => said.safeParse(content).data
export const parseReaction = (content: unknown): z.output<typeof relation> | undefined => reaction.safeParse(content).data?.['m.relates_to']
export const parseStripped = (value: unknown): z.output<typeof stripped> | undefined => stripped.safeParse(value).data
export const parseProblem = (json: string): z.output<typeof problem> | undefined => readJson(problem, json)

/** A login as it was kept; undefined for what is none. */
export const parseKeptLogin = (json: unknown): z.output<typeof keptLogin> | undefined =>
  typeof json === 'string' ? readJson(keptLogin, json) : undefined

/** The body of an answer; undefined for what is not the expected. */
export function readJson<T>(schema: Schema<T>, json: string): T | undefined {
  return schema.safeParse(parseJson(json)).data
}
