import * as z from 'zod'

/** Shape of `platforms.socket-sample.extra`. In a separate file, because the definition and its entry both need it. */
export const config = z.strictObject({
  host: z.string().default('chat.example.net'),
  port: z.int().min(1).max(65_535).default(7070),
  /** Who vouches for the server, as PEM, where no public authority does. */
  ca: z.string().optional(),
})

export type Config = z.output<typeof config>
