import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'

const text = z.nullish(z.string())
const flag = z.nullish(z.boolean())
const page = z.nullish(z.object({ next_cursor: text }))

const envelope = z.object({
  /** `hello`, `disconnect`, `events_api`, `slash_commands`, `interactive`, and whatever is added. */
  type: z.string(),
  envelope_id: z.optional(z.string()),
  payload: z.optional(z.unknown()),
  reason: z.optional(z.string()),
})
export type Envelope = z.output<typeof envelope>

const file = z.object({ id: z.string(), name: text, mimetype: text, size: z.nullish(z.number()), subtype: text })
export type SlackFile = z.output<typeof file>

const said = z.object({
  type: z.enum(['message', 'app_mention']),
  subtype: z.optional(z.string()),
  hidden: flag,
  channel: z.string(),
  channel_type: text,
  user: text,
  bot_id: text,
  username: text,
  bot_profile: z.nullish(z.object({ name: text })),
  text,
  ts: z.string(),
  thread_ts: z.optional(z.string()),
  parent_user_id: text,
  files: z.nullish(z.array(file)),
})
export type Said = z.output<typeof said>

/** What the three kinds of envelope hold. */
export const payloads = {
  event: z.object({ team_id: z.string(), authorizations: z.nullish(z.array(z.object({ team_id: text }))), event: said }),
  slash: z.object({
    command: z.string(),
    text,
    user_id: z.string(),
    user_name: text,
    channel_id: z.string(),
    channel_name: text,
    team_id: z.string(),
    trigger_id: z.string(),
  }),
  press: z.object({
    type: z.literal('block_actions'),
    user: z.object({ id: z.string(), name: text, username: text }),
    team: z.nullish(z.object({ id: z.string() })),
    channel: z.object({ id: z.string() }),
    message: z.object({
      ts: z.string(),
      thread_ts: z.optional(z.string()),
      text,
      /** Shown as they came when the message is replaced. */
      blocks: z.nullish(z.array(z.looseObject({ type: z.string(), block_id: text }))),
    }),
    actions: z.array(z.object({ block_id: z.string(), value: text })),
  }),
}
export type Callback = z.output<typeof payloads.event>
export type Slash = z.output<typeof payloads.slash>
export type SlackPress = z.output<typeof payloads.press>

const person = z.object({ name: text, real_name: text, profile: z.nullish(z.object({ display_name: text, real_name: text })) })
const found = z.object({
  ts: z.string(),
  metadata: z.nullish(z.object({ event_payload: z.nullish(z.object({ key: text })) })),
  files: z.nullish(z.array(z.object({ id: z.string() }))),
})
const channel = z.object({ id: z.string(), name: text, is_im: flag, is_mpim: flag })

/** What the methods answer, as far as it is read. */
export const replies = {
  done: z.object({}),
  auth: z.object({ team_id: z.string(), user_id: z.string(), bot_id: text, user: text }),
  socket: z.object({ url: z.string() }),
  posted: z.object({ ts: z.string() }),
  direct: z.object({ channel: z.object({ id: z.string() }) }),
  person: z.object({ user: person }),
  upload: z.object({ upload_url: z.string(), file_id: z.string() }),
  shared: z.object({ files: z.array(z.object({ id: z.string() })) }),
  file: z.object({ file: z.object({ url_private_download: text, url_private: text }) }),
  history: z.object({ messages: z.array(found), response_metadata: page }),
  channels: z.object({ channels: z.array(channel), response_metadata: page }),
}

export type Schema<T> = z.ZodMiniType<T>
const problem = z.object({ ok: z.literal(false), error: z.string(), needed: text })

export const parseEnvelope = (json: string): Envelope | undefined => readJson(envelope, json)

/** The body of an answer; undefined for what is not the expected. */
export function readJson<T>(schema: Schema<T>, json: string): T | undefined {
  return schema.safeParse(parseJson(json)).data
}

/** Slack's name of a refusal, and the sentence for it; undefined where the answer is none. */
export function parseProblem(json: string): { readonly error: string; readonly detail: string } | undefined {
  const { error, needed } = readJson(problem, json) ?? {}
  return error === undefined ? undefined : { error, detail: needed ? `${error} (it needs ${needed})` : error }
}
