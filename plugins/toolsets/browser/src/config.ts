import * as z from 'zod'

/** Shape of `browser` in config.yaml, and of `plugins.entries.toolset-browser.config`. */
export const config = z.strictObject({
  /** Empty: the first that is installed. */
  executable: z.string().default(''),
  headed: z.boolean().default(false),
  /** The browser keeps pages in its own sandbox. */
  sandbox: z.boolean().default(true),
  allow_private_urls: z.boolean().default(false),
  /** A browser that runs already, by its address for debuggers. */
  cdp_url: z.string().default(''),
  /** Seconds without a call after which the pages of a conversation are closed. */
  inactivity_timeout: z.int().min(5).max(86_400).default(120),
  /** Seconds that one step in a page may take. */
  command_timeout: z.int().min(1).max(240).default(30),
  /** Characters of a page that are shown at once. */
  snapshot_threshold: z.int().min(1000).max(80_000).default(15_000),
  /** What becomes of a dialog that a page shows. */
  dialog_policy: z.enum(['auto_dismiss', 'auto_accept']).default('auto_dismiss'),
})

export type Config = z.output<typeof config>
