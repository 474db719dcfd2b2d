import * as z from 'zod'

/** Shape of `platforms.sms.extra`; a variable beats its key. */
export const config = z.strictObject({
  /** Of the region in which the account lives. */
  base_url: z
    .string()
    .regex(/^https?:\/\/[^\s?#]+$/)
    .default('https://api.twilio.com'),
  webhook_url: z.string().optional(),
})

export type Config = z.output<typeof config>
