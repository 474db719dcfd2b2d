import * as z from 'zod'

/** Shape of `plugins.entries.hooks-sample.config`. In a separate file, because the definition and its entry both need it. */
export const config = z.strictObject({ folders: z.array(z.string().min(1)).default([]), sentence: z.string().optional() })

export type Config = z.output<typeof config>
