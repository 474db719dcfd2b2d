import * as z from 'zod'

/** Shape of `platforms.irc.extra`; a variable beats its key. */
export const config = z.strictObject({
  /** 6697 with TLS, 6667 without. */
  port: z.int().min(1).max(65_535).optional(),
  nickname: z.string().default('agent'),
  channels: z.array(z.string()).default([]),
  use_tls: z.boolean().default(true),
  /** Pause between lines after the first four; servers throw out who talks faster. */
  line_delay_ms: z.int().min(0).default(1000),
})

export type Config = z.output<typeof config>
