import * as z from 'zod'

/** Shape of `platforms.telegram.extra`; a variable beats its key. */
export const config = z.strictObject({
  /** Where the Bot API is asked; another address is a Bot API server of one's own. */
  base_url: z.string().default('https://api.telegram.org'),
  /** Where files are fetched; `<base_url>/file` when it is not set. */
  base_file_url: z.string().optional(),
  /** Public address under which Telegram reaches us; without it the bot polls. */
  webhook_url: z.string().optional(),
  /** Forget what people wrote before the very first start. */
  drop_pending_on_cold_boot: z.boolean().default(true),
  /** Mark messages with 👀, 👍 and 👎. */
  reactions: z.boolean().default(false),
  disable_link_previews: z.boolean().default(false),
  command_menu: z.strictObject({ max_commands: z.int().min(0).max(100).default(60) }).prefault({}),
})

export type Config = z.output<typeof config>
