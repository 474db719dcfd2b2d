import * as z from 'zod'

/** Shape of `plugins.entries.context-sample.config`. In a separate file, because the definition and its entry both need it. */
export const config = z.strictObject({ line: z.int().min(20).max(500).default(100) })

export type Config = z.output<typeof config>
