import * as z from 'zod'

/** Shape of `plugins.entries.image-openai.config`. */
export const config = z.strictObject({
  model: z.string().min(1).default('gpt-image-2'),
  quality: z.enum(['auto', 'low', 'medium', 'high']).default('auto'),
  /** Another server that speaks the same API; the key goes there. */
  base_url: z.url().default('https://api.openai.com/v1'),
})

export type Config = z.output<typeof config>
