import * as z from 'zod'

/** Shape of `platforms.whatsapp-cloud.extra`; a variable beats its key. */
export const config = z.strictObject({
  base_url: z
    .string()
    .regex(/^https?:\/\/[^\s?#]+$/)
    .default('https://graph.facebook.com'),
  api_version: z
    .string()
    .regex(/^v\d+\.\d+$/)
    .default('v24.0'),
  waba_id: z.string().optional(),
})

export type Config = z.output<typeof config>
