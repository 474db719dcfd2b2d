import * as z from 'zod'

/** Shape of `platforms.discord.extra`; a variable beats its key. */
export const config = z.strictObject({
  /** Address of the API with its version; the gateway's address is asked for there. */
  base_url: z
    .string()
    .regex(/^https?:\/\/[^\s?#]+$/)
    .default('https://discord.com/api/v10'),
  /** Answers a mention in a channel in a thread of its own. */
  auto_thread: z.boolean().default(true),
  /** Ids of channels in which no thread is opened. */
  no_thread_channels: z.array(z.string()).default([]),
  /** Shows with reactions how far the agent is with a message. */
  reactions: z.boolean().default(true),
  /** Shows the agent's commands in the menu of Discord. */
  slash_commands: z.boolean().default(true),
})

export type Config = z.output<typeof config>
