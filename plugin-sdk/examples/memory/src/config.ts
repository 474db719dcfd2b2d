import * as z from 'zod'

/** Shape of `plugins.entries.memory-sample.config`. In a separate file, because the definition and its entry both need it. */
export const config = z.strictObject({ limit: z.int().min(100).default(4000) })

export type Config = z.output<typeof config>
