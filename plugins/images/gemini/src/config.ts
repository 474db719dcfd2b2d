import * as z from 'zod'

/** Shape of `plugins.entries.image-gemini.config`. */
export const config = z.strictObject({
  model: z.string().min(1).default('gemini-3.1-flash-image'),
  /** Another server that speaks the same API; the key goes there. */
  base_url: z.url().default('https://generativelanguage.googleapis.com/v1beta'),
})

export type Config = z.output<typeof config>
