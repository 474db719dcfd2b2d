import * as z from 'zod'

/** Shape of `plugins.entries.toolset-web.config`. */
export const config = z.strictObject({
  /** Most characters of one page. */
  extract_char_limit: z.int().min(2000).max(80_000).default(15_000),
})

export type Config = z.output<typeof config>
