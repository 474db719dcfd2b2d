import * as z from 'zod'

/** Shape of `plugins.entries.image-sample.config`. In a separate file, because the definition and its entry both need it. */
export const config = z.strictObject({ server: z.string().default('https://paint.example.net') })

export type Config = z.output<typeof config>
