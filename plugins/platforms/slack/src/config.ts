import * as z from 'zod'

/** Shape of `platforms.slack.extra`; a variable beats its key. */
export const config = z.strictObject({
  api_url: z.string().default('https://slack.com/api'),
  /** Answers a message of a channel in a thread below it. */
  reply_in_thread: z.boolean().default(true),
  unfurl_links: z.boolean().default(false),
  unfurl_media: z.boolean().default(false),
  typing_status_text: z.string().min(1).max(50).default('is writing…'),
})

export type Config = z.output<typeof config>
