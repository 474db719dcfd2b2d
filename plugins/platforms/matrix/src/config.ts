import * as z from 'zod'

/** Shape of `platforms.matrix.extra`; a variable beats its key. */
export const config = z.strictObject({
  auto_thread: z.boolean().default(true),
  process_notices: z.boolean().default(false),
  /** Whose invitations are accepted, besides those who may talk to the agent; `*` is everybody. */
  invites_from: z.array(z.string()).default([]),
})

export type Config = z.output<typeof config>
