import * as z from 'zod'

/** Shape of `plugins.entries.gate-sample.config`. In a separate file, because the definition and its entry both need it. */
export const config = z.strictObject({
  server: z.string().default('https://directory.example.net'),
  people: z.array(z.string()).default([]),
})

export type Config = z.output<typeof config>
