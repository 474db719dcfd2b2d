import * as z from 'zod'

/** Shape of `platforms.signal.extra`; a variable beats its key. */
export const config = z.strictObject({
  /** Where the daemon of signal-cli listens. */
  http_url: z.string().default('http://127.0.0.1:8080'),
})

export type Config = z.output<typeof config>
