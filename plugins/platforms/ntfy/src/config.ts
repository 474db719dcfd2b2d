import * as z from 'zod'

/** Shape of `platforms.ntfy.extra`; a variable beats its key. */
export const config = z.strictObject({
  server_url: z.string().default('https://ntfy.sh'),
  /** Where answers go; the topic itself when it is not set. */
  publish_topic: z.string().optional(),
})

export type Config = z.output<typeof config>
