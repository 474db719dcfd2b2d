import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'

const file = z.object({
  id: z.string().check(z.regex(/^\d+$/)),
  mime_type: z.optional(z.string()),
  caption: z.optional(z.string()),
  filename: z.optional(z.string()),
  voice: z.optional(z.boolean()),
})
const choice = z.object({ id: z.string(), title: z.optional(z.string()) })

const message = z.object({
  id: z.string().check(z.minLength(1)),
  /** A phone number; absent where the person hides it. */
  from: z.optional(z.string()),
  /** What Meta calls the person for this business. */
  from_user_id: z.optional(z.string()),
  group_id: z.optional(z.string()),
  /** Seconds since 1970. */
  timestamp: z.optional(z.string()),
  type: z.string(),
  context: z.optional(z.object({ id: z.optional(z.string()), from: z.optional(z.string()) })),
  text: z.optional(z.object({ body: z.string() })),
  button: z.optional(z.object({ text: z.string() })),
  image: z.optional(file),
  video: z.optional(file),
  audio: z.optional(file),
  document: z.optional(file),
  sticker: z.optional(file),
  location: z.optional(
    z.object({ latitude: z.number(), longitude: z.number(), name: z.optional(z.string()), address: z.optional(z.string()) }),
  ),
  interactive: z.optional(z.object({ button_reply: z.optional(choice), list_reply: z.optional(choice) })),
})

export type WhatsappMessage = z.output<typeof message>
export type WhatsappFile = z.output<typeof file>

const status = z.object({
  id: z.string(),
  status: z.string(),
  /** What we wrote into the message, to know it again. */
  biz_opaque_callback_data: z.optional(z.string()),
  errors: z.optional(z.array(z.object({ code: z.number(), title: z.optional(z.string()) }))),
})

export type WhatsappStatus = z.output<typeof status>

const contact = z.object({
  wa_id: z.optional(z.string()),
  user_id: z.optional(z.string()),
  profile: z.optional(z.object({ name: z.optional(z.string()) })),
})

const value = z.object({
  metadata: z.object({ phone_number_id: z.string() }),
  contacts: z.optional(z.array(z.unknown())),
  messages: z.optional(z.array(z.unknown())),
  statuses: z.optional(z.array(z.unknown())),
})

const notice = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(z.object({ id: z.string(), changes: z.array(z.object({ field: z.string(), value: z.unknown() })) })),
})

/** What Meta tells of one phone number. */
export interface Notice {
  readonly messages: readonly WhatsappMessage[]
  readonly statuses: readonly WhatsappStatus[]
  /** Names of people by their numbers and ids. */
  readonly names: ReadonlyMap<string, string>
}

/** A call tells of some messages; each of them is some dozens of values. */
const mostValues = 50_000

/** What concerns us in a call; anything of a shape that is not known is left out. Undefined for what is no call of WhatsApp. */
export function parseNotice(text: string, phoneNumberId: string, wabaId: string | undefined): Notice | undefined {
  const parsed = notice.safeParse(parseJson(text, { mostValues })).data
  if (!parsed) return undefined
  const values = parsed.entry
    .filter(({ id }) => wabaId === undefined || id === wabaId)
    .flatMap(({ changes }) => changes.filter(({ field }) => field === 'messages').map((change) => value.safeParse(change.value).data))
    .filter((one) => one !== undefined && one.metadata.phone_number_id === phoneNumberId)
  const all = <T>(schema: z.ZodMiniType<T>, list: (one: z.output<typeof value>) => readonly unknown[] | undefined): readonly T[] =>
    values.flatMap((one) => (one && list(one)) ?? []).flatMap((item) => schema.safeParse(item).data ?? [])
  const names = all(contact, ({ contacts }) => contacts).flatMap(({ wa_id, user_id, profile }) =>
    [wa_id, user_id].flatMap((id) => (id && profile?.name ? [[id, profile.name] as const] : [])),
  )
  return {
    messages: all(message, ({ messages }) => messages),
    statuses: all(status, ({ statuses }) => statuses),
    names: new Map(names),
  }
}

const number = z.object({ verified_name: z.optional(z.string()), display_phone_number: z.optional(z.string()) })
const sent = z.object({ messages: z.array(z.object({ id: z.string().check(z.minLength(1)) })).check(z.minLength(1)) })
const uploaded = z.object({ id: z.string().check(z.minLength(1)) })
const place = z.object({ url: z.string() })
const problem = z.object({
  error: z.object({
    code: z.number(),
    message: z.optional(z.string()),
    error_data: z.optional(z.object({ details: z.optional(z.string()) })),
  }),
})

export const parseNumber = (text: string): z.output<typeof number> | undefined => readJson(number, text)
export const parseSentId = (text: string): string | undefined => readJson(sent, text)?.messages[0]?.id
export const parseUploadedId = (text: string): string | undefined => readJson(uploaded, text)?.id
export const parsePlace = (text: string): string | undefined => readJson(place, text)?.url

/** Why the Graph API refuses. */
export interface Problem {
  readonly code: number
  readonly detail: string
  readonly retryAfterMs: number | undefined
}

/** Limits of the app, of the number and of one conversation, with how long to wait. */
const limits: ReadonlyMap<number, number> = new Map([
  [4, 60_000],
  [80_007, 60_000],
  [130_429, 10_000],
  [131_048, 600_000],
  [131_056, 6000],
])

const sayings: ReadonlyMap<number, string> = new Map([
  [131_047, 'the person has not written for 24 hours, and only a template may be sent then'],
  [131_030, 'the number is not on the list of test receivers'],
  [190, 'the access token is not valid any more'],
])

export function parseProblem(text: string): Problem | undefined {
  const { error } = readJson(problem, text) ?? {}
  if (!error) return undefined
  const detail = sayings.get(error.code) ?? error.error_data?.details ?? error.message ?? 'it says no more'
  return { code: error.code, detail: `${detail} (${error.code})`, retryAfterMs: limits.get(error.code) }
}

function readJson<T>(schema: z.ZodMiniType<T>, text: string): T | undefined {
  return schema.safeParse(parseJson(text)).data
}
