import * as z from 'zod'

/** Shape of `platforms.mattermost.extra`; a variable beats its key. */
export const config = z.strictObject({
  /** Answers a mention in a channel in a thread below it. */
  auto_thread: z.boolean().default(true),
  /** The same in direct messages: each message begins a separate conversation. */
  dm_auto_thread: z.boolean().default(false),
  /** Shows with reactions how far the agent is with a message. */
  reactions: z.boolean().default(true),
})

export type Config = z.output<typeof config>
