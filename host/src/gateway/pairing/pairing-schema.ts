import * as z from 'zod/mini'

const person = { account: z.string(), user: z.string(), name: z.optional(z.string()) }
/** By request id. */
export const pendingSchema = z.record(
  z.string().check(z.regex(/^[0-9a-f]{16}$/)),
  z.strictObject({
    ...person,
    message: z.string(),
    conversation: z.optional(z.string()),
    salt: z.string(),
    hash: z.string(),
    at: z.number(),
  }),
)
export const approvedSchema = z.array(z.strictObject({ ...person, at: z.number() }))
/** By platform. */
export const limitsSchema = z.record(
  z.string(),
  z.strictObject({
    /** Wrong codes in a row. */
    wrong: z.number(),
    /** When too many wrong codes locked the platform. */
    lockedAt: z.optional(z.number()),
    /** Who got a code lately. */
    offered: z.array(z.strictObject({ account: z.string(), user: z.string(), at: z.number() })),
  }),
)
