import * as z from 'zod'

/** Shape of `plugins.entries.web-backend-sample.config`. In a separate file, because the definition and its entry both need it. */
export const config = z.strictObject({ server: z.string().default('https://web.example.net') })

export type Config = z.output<typeof config>
