import * as z from 'zod/mini'

const hour = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'an hour and a minute such as 22:00'))

/** What the owner says of one notifier. */
export const notifierSchema = z.strictObject({
  enabled: z.optional(z.boolean()),
  /** `origin`, `local`, `all`, a platform, or a platform with a conversation; absent: where the event comes from. */
  deliver: z.optional(z.array(z.string())),
  /** What comes in these hours waits for their end. `zone`: IANA name; absent: that of jobs. */
  quiet_hours: z.optional(z.strictObject({ from: z.optional(hour), to: z.optional(hour), zone: z.optional(z.string()) })),
  /** What is said in direct conversations, by `platform:conversation`. */
  people: z.optional(z.record(z.string(), z.enum(['all', 'errors', 'off']))),
})
