import * as z from 'zod'

/** Shape of `plugins.entries.panel-sample.config`. In a separate file, because the definition and its entry both need it. */
export const config = z.strictObject({ most: z.int().min(1).max(1000).default(50) })

export type Config = z.output<typeof config>
