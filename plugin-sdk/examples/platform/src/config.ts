import * as z from 'zod'

/** Shape of `platforms.sample.extra`. In a separate file, because the definition and its entry both need it. */
export const config = z.strictObject({ server: z.string().default('https://chat.example.net') })

export type Config = z.output<typeof config>
