import * as z from 'zod'

const address = z.string().regex(/^https?:\/\/[^\s?#]+$/)

/** Shape of `platforms.discord.extra`; a variable beats its key. */
export const config = z.strictObject({
  /** Address of the API with its version; the gateway's address is asked for there. */
  base_url: address.default('https://discord.com/api/v10'),
  /** Answers a mention in a channel in a new thread. */
  auto_thread: z.boolean().default(true),
  /** Ids of channels in which no thread is opened. */
  no_thread_channels: z.array(z.string()).default([]),
  reactions: z.boolean().default(true),
  slash_commands: z.boolean().default(true),
})

export type Config = z.output<typeof config>
