import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'

// What signal-cli does not know it writes as null.
const text = z.nullish(z.string())

const mention = z.object({
  number: text,
  uuid: text,
  /** In UTF-16 units. */
  start: z.number(),
  length: z.number(),
})

const attachment = z.object({
  id: z.string(),
  contentType: text,
  filename: text,
  size: z.nullish(z.number()),
})

const body = {
  timestamp: z.number(),
  message: text,
  mentions: z.nullish(z.array(mention)),
  attachments: z.nullish(z.array(attachment)),
  quote: z.nullish(z.object({ id: z.number(), authorNumber: text, authorUuid: text, text })),
  groupInfo: z.nullish(z.object({ groupId: z.string(), groupName: text })),
  reaction: z.nullish(z.unknown()),
  remoteDelete: z.nullish(z.unknown()),
}

const sentMessage = z.object({ ...body, timestamp: z.optional(z.number()), destinationNumber: text, destinationUuid: text })

const event = z.object({
  account: text,
  envelope: z.object({
    sourceNumber: text,
    sourceUuid: text,
    sourceName: text,
    serverReceivedTimestamp: z.nullish(z.number()),
    dataMessage: z.nullish(z.object(body)),
    /** What another device of ours did. */
    syncMessage: z.nullish(z.object({ sentMessage: z.nullish(sentMessage) })),
  }),
})

export type Envelope = z.output<typeof event>['envelope']
export type SignalMessage = NonNullable<Envelope['dataMessage']>
export type SignalMention = z.output<typeof mention>
export type SignalAttachment = z.output<typeof attachment>

/** Undefined for what says nothing to us: receipts, typing, calls, whatever newer versions add. */
export function parseEvent(data: string): { readonly account?: string | undefined; readonly envelope: Envelope } | undefined {
  const found = readJson(event, data)
  return found && { envelope: found.envelope, account: found.account ?? undefined }
}

const failure = z.object({
  code: z.number(),
  message: z.string(),
  data: z.nullish(z.object({ response: z.nullish(z.object({ results: z.nullish(z.array(z.unknown())) })) })),
})

const answer = z.object({ result: z.optional(z.unknown()), error: z.nullish(failure) })

export type RpcFailure = z.output<typeof failure>

/** The answer to a call; undefined for what is none. */
export const parseAnswer = (body: string): z.output<typeof answer> | undefined => readJson(answer, body)

const recipientResult = z.object({ type: z.string(), retryAfterSeconds: z.nullish(z.number()) })

/** What became of a message for each of those who should get it. */
export const parseResults = (results: readonly unknown[] | null | undefined): readonly z.output<typeof recipientResult>[] =>
  (results ?? []).flatMap((one) => recipientResult.safeParse(one).data ?? [])

const about = z.object({ versions: z.array(z.string()) })

/** How the REST wrapper around signal-cli introduces itself. */
export const isRestWrapper = (body: string): boolean => readJson(about, body) !== undefined

/** Results of the methods whose answer we read. */
export const results = {
  sent: z.object({ timestamp: z.number(), results: z.nullish(z.array(z.unknown())) }),
  status: z.array(z.object({ uuid: text, isRegistered: z.nullish(z.boolean()) })),
  attachment: z.union([z.object({ data: z.string() }), z.string()]),
  groups: z.array(z.object({ id: z.string(), name: text, isMember: z.nullish(z.boolean()) })),
  contacts: z.array(z.object({ number: text, uuid: text, name: text })),
  anything: z.unknown(),
} as const

function readJson<T>(schema: z.ZodMiniType<T>, source: string): T | undefined {
  return schema.safeParse(parseJson(source)).data
}
